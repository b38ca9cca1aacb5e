import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../context.ts'
import type { Cluster } from './cluster.ts'
import { type MigrationReport, reportOfTarget } from './migration-report.ts'

/** Leaves a migration to the controllers, unless one is on its way already. */
export async function requestMigration(
  cluster: Cluster,
  resource: DiscoveredResource,
  { signal }: CliContext,
): Promise<MigrationReport> {
  const records = await cluster.records(resource)
  const where = (await records.readOpen(signal))?.where ?? (await records.request(signal))
  if (where === undefined) {
    const because = 'nobody here runs migrations that others ask for: leave out --no-wait'
    return reportOfTarget(resource, undefined, { outcome: 'failed', proof: 'unknown', because })
  }
  const because = `left to the controllers: kubectl get ${where}`
  return {
    ...reportOfTarget(resource, undefined, { outcome: 'succeeded', proof: 'unknown', because }),
    record: where,
  }
}
