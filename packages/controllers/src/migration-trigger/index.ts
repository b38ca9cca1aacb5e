import type { ControllerPart, Term } from '../engine/index.ts'
import { ClusterView } from './cluster-view.ts'
import { createTrigger } from './trigger.ts'
import { type TriggerOptions, triggerDefaults } from './trigger-options.ts'

export interface MigrationTriggerOptions {
  readonly trigger?: Partial<TriggerOptions>
}

/** Keeps StorageStates, and asks for a migration of whatever may be stored in another version than all write now. */
export function migrationTrigger({
  world,
  client,
  log,
  options,
}: Term & { readonly options: MigrationTriggerOptions }): ControllerPart {
  const settings = { ...triggerDefaults, ...options.trigger }
  const view = new ClusterView({ world: { ...world, log }, client, periodMs: settings.periodMs })
  return {
    sources: [view],
    reconciler: createTrigger({
      ...{ client, clock: world.clock, log, options: settings },
      see: (key, signal) => view.see(key, signal),
    }),
    background: [(signal) => view.run(signal)],
  }
}

export { runReporter } from './reporter.ts'
export { acceptances, type TriggerOptions, triggerDefaults } from './trigger-options.ts'
