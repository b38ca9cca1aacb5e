import {
  type MigrationOptions,
  type MigrationResult,
  type MigrationTarget,
  migrate,
} from '@strata/controllers'
import type { MigrationJob } from './migration-job.ts'

/** Sends every write of a migration as a dry run: the server admits and validates it, and stores nothing. */
export function rehearseObjects(
  job: MigrationJob,
  target: MigrationTarget,
  onQuarantine?: MigrationOptions['onQuarantine'],
): Promise<MigrationResult> {
  const { cluster, resource, log, view, name } = job
  const { world, signal } = job.context
  return migrate({
    ...{ world: { ...world, log }, client: cluster.client, target, signal, dryRun: true, limits: job.limits },
    ...{ budget: job.shared.budget, part: job.options.part },
    ...(onQuarantine ? { onQuarantine } : {}),
    observe: (each) => cluster.observe(resource, each),
    onProgress: ({ progress, waitingFor }) => {
      view.waits(name, waitingFor)
      view.progress(name, progress)
    },
  })
}
