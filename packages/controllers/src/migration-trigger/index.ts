import type { ControllerPart, Term } from '../engine/index.ts'
import { EventRecorder } from '../migration-events/index.ts'
import { ClusterView } from './cluster-view.ts'
import { installDefinitions } from './install-definitions.ts'
import { createTrigger } from './trigger.ts'
import { TriggerMetrics } from './trigger-metrics.ts'
import { type TriggerOptions, triggerDefaults } from './trigger-options.ts'

export interface MigrationTriggerOptions {
  readonly trigger?: Partial<TriggerOptions>
  /** The metrics of the trigger. They outlive a term as leader. */
  readonly triggerMetrics?: TriggerMetrics
  /** Creates the CRDs of migration.k8s.io if the cluster lacks them. */
  readonly installCrds?: boolean
  /** A reporter runs beside each server: the hash of one server is not the hash of all. */
  readonly reports?: boolean
}

/** Keeps StorageStates, and requests a migration if objects may be stored in another version than all servers write now. */
export function migrationTrigger({
  world,
  client,
  log,
  options,
}: Term & { readonly options: MigrationTriggerOptions }): ControllerPart {
  const settings = { ...triggerDefaults, ...options.trigger }
  const parts = { world: { ...world, log }, client }
  const install = async (signal: AbortSignal): Promise<void> => {
    await installDefinitions(parts, signal)
  }
  const metrics = options.triggerMetrics ?? new TriggerMetrics()
  const view = new ClusterView({
    ...parts,
    onPoll: (result) => metrics.polled(result),
    periodMs: settings.periodMs,
    polls: options.reports !== true,
    install: options.installCrds ? install : undefined,
  })
  const events = new EventRecorder({ world, client, log, component: 'strata-migration-trigger' })
  return {
    sources: [view],
    reconciler: createTrigger({
      ...{ client, clock: world.clock, log, options: settings, events, metrics },
      see: (key, signal) => view.see(key, signal),
    }),
    background: [(signal) => view.run(signal).finally(() => events.end())],
  }
}

export { runReporter } from './hash-reporter.ts'
export { type InitializerResult, initialize } from './initializer.ts'
export { type Installed, installDefinitions } from './install-definitions.ts'
export { TriggerMetrics } from './trigger-metrics.ts'
export { acceptances, type TriggerOptions, triggerDefaults } from './trigger-options.ts'
