export * from './controller-leases.ts'
export {
  type ControllersOptions,
  chosenControllers,
  controllerNames,
  type RunControllersOptions,
  runAgreementCollectors,
  runControllers,
} from './main.ts'
export {
  EventRecorder,
  type MigrationEvent,
  quarantineEvents,
  type Subject,
} from './migration-events/index.ts'
export * from './migration-object/index.ts'
export * from './migration-runner/index.ts'
export {
  acceptances,
  type InitializerResult,
  type Installed,
  initialize,
  installDefinitions,
  TriggerMetrics,
  type TriggerOptions,
  triggerDefaults,
} from './migration-trigger/index.ts'
export * from './migrator/index.ts'
export * from './origin-mirror/index.ts'
