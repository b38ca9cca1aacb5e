import { type GroupResource, groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { Claim } from '@strata/insight'
import type { CliContext } from '../../context.ts'
import type { Requested } from '../records/record.ts'
import { type MigrationReport, reportOfTarget } from '../report/migration-report.ts'
import type { Cluster } from '../resources/cluster.ts'
import { observeRenewal, type Renewal } from './controllers-alive.ts'

/** Leaves a migration to the controllers, unless one is on its way already. */
export async function requestMigration(
  cluster: Cluster,
  resource: DiscoveredResource,
  { signal, world }: CliContext,
): Promise<MigrationReport> {
  const records = await cluster.records(resource)
  const requested = await records.request(signal)
  if (requested === undefined) {
    const because = 'no controllers run migrations in this cluster: omit --no-wait'
    return reportOfTarget(resource, undefined, { outcome: 'failed', proof: 'unknown', because })
  }
  if (requested.heldBy) return reportOfHeld(resource, requested, requested.heldBy)
  // The migration is requested by now, also if this read fails.
  return reportOfRequest(resource, requested, await observeRenewal(cluster.client, world.clock, signal))
}

/** A command runs it: the controllers take it only if that process dies, and a user who stops the command pauses it. */
export function reportOfHeld(
  resource: GroupResource,
  { where, wasPaused }: Requested,
  { by, pid, hostname }: Claim,
): MigrationReport {
  const who = by === 'command' ? `another "strata migrate" (pid ${pid} on ${hostname})` : 'another process'
  const again = `strata migrate --no-wait ${groupResourceText(resource)}`
  const until = `if that command is stopped, the migration stays paused until you request it again: ${again}`
  const because = `${unpausedText(wasPaused)}${who} runs it, not the controllers: kubectl get ${where}; ${until}`
  return requestedReport(resource, where, because)
}

const unpausedText = (wasPaused: boolean): string => (wasPaused ? 'the pause was removed; ' : '')

/** Nothing is known yet, which is the exit code too. */
function requestedReport(resource: GroupResource, where: string, because: string): MigrationReport {
  return {
    ...reportOfTarget(resource, undefined, { outcome: 'succeeded', proof: 'unknown', because }),
    outcome: 'requested',
    record: where,
  }
}

export function reportOfRequest(
  resource: GroupResource,
  { where, wasPaused }: Requested,
  controllers: Renewal,
): MigrationReport {
  const asked = `requested (kubectl get ${where}), but`
  const texts: Readonly<Record<Renewal, string>> = {
    alive: `left to the controllers: kubectl get ${where}`,
    unseen: `left to the controllers: kubectl get ${where}`,
    absent: `${asked} no controllers are running`,
    stale: `${asked} no controllers are running: their Lease is not renewed`,
  }
  return {
    ...requestedReport(resource, where, `${unpausedText(wasPaused)}${texts[controllers]}`),
    ...(controllers === 'unseen' ? {} : { controllersAtWork: controllers === 'alive' }),
  }
}
