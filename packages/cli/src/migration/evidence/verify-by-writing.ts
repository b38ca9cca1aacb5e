import type { DiscoveredResource } from '@strata/client'
import { formatCount } from '@strata/insight'
import type { CliContext } from '../../context.ts'
import type { MigrationReport } from '../report/migration-report.ts'
import { createMigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { migrateResource } from '../run/migrate-resource.ts'
import { MigrationJob } from '../run/migration-job.ts'
import type { Evidence, Verdict } from './decide-evidence.ts'

/** An object whose resourceVersion moves by a patch that changes nothing was stale. So looking is a migration. */
export async function verifyByWriting(
  cluster: Cluster,
  resource: DiscoveredResource,
  seen: Evidence,
  output: string,
  context: CliContext,
): Promise<Evidence> {
  const view = createMigrationView(context, output)
  const options = {
    ...{ concurrency: 64, pageSize: 500, agreementTimeoutMs: 30_000 },
    ...{ takeOver: false, dryRun: false, throughApi: false },
  }
  const report = await migrateResource(new MigrationJob(cluster, resource, options, view, context))
  return { ...seen, verdict: verdictOf(report), because: becauseOf(report) }
}

function verdictOf({ outcome, proof }: MigrationReport): Verdict {
  if (outcome === 'succeeded') return proof
  if (outcome === 'incomplete') return 'stale'
  return outcome === 'aborted' ? 'disagreed' : 'unknown'
}

function becauseOf({ because, migrated = 0, total = 0 }: MigrationReport): string {
  if (migrated === 0) return because
  return `${formatCount(migrated)} of ${formatCount(total)} were not stored in the target encoding, and were rewritten; ${because}`
}
