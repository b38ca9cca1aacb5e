export { campaign } from './campaign.ts'
export {
  type ControllerOptions,
  type Reconciler,
  runController,
  type Settled,
  type Source,
} from './controller.ts'
export { TerminalError } from './errors.ts'
export { informerSource } from './informer-source.ts'
export { isNamespaceGone } from './namespace-gone.ts'
export { runTogether } from './run-together.ts'
export { SharedInformers } from './shared-informers.ts'
export type { ControllerPart, Term } from './term.ts'
