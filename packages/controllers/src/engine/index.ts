export {
  type ControllerOptions,
  type Reconciler,
  runController,
  type Settled,
  type Source,
} from './controller.ts'
export { TerminalError } from './errors.ts'
export { informerSource } from './informer-source.ts'
