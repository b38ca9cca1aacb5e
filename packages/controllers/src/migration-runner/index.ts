import { uuid } from '@strata/world'
import type { ControllerPart, Term } from '../engine/index.ts'
import { EventRecorder } from '../migration-events/index.ts'
import { MigrationMetrics } from './migration-metrics.ts'
import { MigrationRunner, type MigrationRunnerOptions } from './runner.ts'

export {
  decidePrune,
  type PruneDecision,
  type PruneEvidence,
  prunePatch,
} from './decide-prune.ts'
export { MigrationMetrics } from './migration-metrics.ts'
export { acceptAnnotation, acceptedProof, pruneEvidenceOf } from './prune-evidence.ts'

export interface MigrationRunnerSettings {
  /** How many migrations run side by side. */
  readonly migrationsAtOnce?: number | undefined
  /** How long ended migrations are kept; by default for ever. */
  readonly finishedMigrationTtlMs?: number | undefined
  readonly migrationLimits?: MigrationRunnerOptions['limits']
  /** Whether servers rewrite objects in batches, if they offer it. Defaults to true. */
  readonly migrationNextToData?: boolean | undefined
  /** The metrics of migrations. They outlive a term as leader. */
  readonly migrationMetrics?: MigrationMetrics
}

/** Runs the migrations that users and programs request. */
export function storageVersionMigrator({
  world,
  client,
  log,
  options,
}: Term & { readonly options: MigrationRunnerSettings }): ControllerPart {
  const { migrationMetrics: metrics = new MigrationMetrics(), migrationNextToData: nextToData } = options
  const { migrationsAtOnce: atOnce, finishedMigrationTtlMs: ttlMs, migrationLimits: limits } = options
  const { hostname, self } = world.processes
  const runner = new MigrationRunner({
    ...{ world, client, log, metrics, atOnce, ttlMs, limits, nextToData },
    events: new EventRecorder({ world, client, log, component: 'strata-migration-runner' }),
    claim: { by: 'runner', id: `${hostname}_${uuid(world.random)}`, hostname, ...self },
  })
  return {
    sources: [runner],
    reconciler: runner,
    workers: 1,
    background: [(signal) => runner.run(signal)],
  }
}
