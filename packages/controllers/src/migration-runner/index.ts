import { uuid } from '@strata/world'
import type { ControllerPart, Term } from '../engine/index.ts'
import { EventRecorder } from '../migration-events/index.ts'
import { MigrationMetrics } from './migration-metrics.ts'
import { MigrationRunner, type MigrationRunnerOptions } from './runner.ts'

export {
  decidePrune,
  type PruneDecision,
  type PruneEvidence,
  type PruneFacts,
  prunePatch,
} from './decide-prune.ts'
export { MigrationMetrics } from './migration-metrics.ts'
export { acceptAnnotation, acceptedProof, pruneEvidenceOf } from './prune-evidence.ts'

export interface MigrationRunnerSettings {
  /** How many migrations run side by side. */
  readonly migrationsAtOnce?: number
  /** After how long migrations that came to an end are deleted; left out: never. */
  readonly finishedMigrationTtlMs?: number
  readonly migrationLimits?: MigrationRunnerOptions['limits']
  /** Whether servers rewrite objects in batches, if they offer it. Defaults to true. */
  readonly migrationNextToData?: boolean
  /** Where migrations are counted; kept from one term to the next. */
  readonly migrationMetrics?: MigrationMetrics
}

/** Brings the migrations that people and programs ask for to an end. */
export function storageVersionMigrator({
  world,
  client,
  log,
  options,
}: Term & { readonly options: MigrationRunnerSettings }): ControllerPart {
  const { migrationsAtOnce, finishedMigrationTtlMs, migrationLimits, migrationMetrics } = options
  const { migrationNextToData: nextToData } = options
  const { hostname, self } = world.processes
  const runner = new MigrationRunner({
    ...{ world, client, log, metrics: migrationMetrics ?? new MigrationMetrics() },
    events: new EventRecorder({ world, client, log, component: 'strata-migration-runner' }),
    claim: { by: 'runner', id: `${hostname}_${uuid(world.random)}`, hostname, ...self },
    ...(migrationsAtOnce === undefined ? {} : { atOnce: migrationsAtOnce }),
    ...(finishedMigrationTtlMs === undefined ? {} : { ttlMs: finishedMigrationTtlMs }),
    ...(migrationLimits ? { limits: migrationLimits } : {}),
    ...(nextToData === undefined ? {} : { nextToData }),
  })
  return {
    sources: [runner],
    reconciler: runner,
    workers: 1,
    background: [(signal) => runner.run(signal)],
  }
}
