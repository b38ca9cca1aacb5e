export {
  type ControllersOptions,
  controllerNames,
  controllersLeaseName,
  type RunControllersOptions,
  runControllers,
} from './main.ts'
export * from './migrator/index.ts'
