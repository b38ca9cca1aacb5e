export {
  type ControllersOptions,
  controllersLeaseName,
  type RunControllersOptions,
  runControllers,
} from './main.ts'
