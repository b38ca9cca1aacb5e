export {
  type ControllersOptions,
  controllerNames,
  controllersLeaseName,
  type RunControllersOptions,
  runControllers,
} from './main.ts'
export * from './migration-runner/index.ts'
export {
  acceptances,
  type InitializerResult,
  type Installed,
  initialize,
  installDefinitions,
  type TriggerOptions,
  triggerDefaults,
} from './migration-trigger/index.ts'
export * from './migrator/index.ts'
