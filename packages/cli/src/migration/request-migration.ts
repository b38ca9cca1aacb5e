import type { GroupResource } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../context.ts'
import type { Cluster } from './cluster.ts'
import { observeControllers } from './controllers-alive.ts'
import type { RoleFacts } from './decide-role.ts'
import { type MigrationReport, reportOfTarget } from './migration-report.ts'

/** Leaves a migration to the controllers, unless one is on its way already. */
export async function requestMigration(
  cluster: Cluster,
  resource: DiscoveredResource,
  { signal, world }: CliContext,
): Promise<MigrationReport> {
  const records = await cluster.records(resource)
  const where = (await records.readOpen(signal))?.where ?? (await records.request(signal))
  if (where === undefined) {
    const because = 'nobody here runs migrations that others ask for: leave out --no-wait'
    return reportOfTarget(resource, undefined, { outcome: 'failed', proof: 'unknown', because })
  }
  // It is asked for by now, whatever becomes of this look.
  const look = observeControllers(cluster.client, world.clock)
  return reportOfRequest(resource, where, await look(signal).catch(() => 'silent' as const))
}

/** Nothing is known yet, which is the exit code too. */
export function reportOfRequest(
  resource: GroupResource,
  where: string,
  controllers: RoleFacts['controllers'],
): MigrationReport {
  const because =
    controllers === 'absent'
      ? `asked for (kubectl get ${where}), but no controllers are at work`
      : `left to the controllers: kubectl get ${where}`
  return {
    ...reportOfTarget(resource, undefined, { outcome: 'succeeded', proof: 'unknown', because }),
    outcome: 'requested',
    record: where,
    ...(controllers === 'silent' ? {} : { controllersAtWork: controllers === 'alive' }),
  }
}
