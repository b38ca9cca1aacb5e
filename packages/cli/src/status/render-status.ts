import { formatAge, formatSeconds } from '../output/age.ts'
import { formatTable } from '../output/table.ts'
import type { FleetStatus } from './fleet-status.ts'
import { renderAggregated } from './render-aggregated.ts'
import { renderNotes } from './render-notes.ts'
import { legendOf, renderRows } from './render-rows.ts'
import { renderAlarms, renderVerdict } from './render-verdict.ts'
import { chooseRows, type RowChoice } from './resource-rows.ts'
import type { ServerStatus } from './server-status.ts'
import { renderTrigger } from './trigger-status.ts'

export interface RenderOptions extends RowChoice {
  /** Also the columns that are seldom needed. */
  readonly wide: boolean
  /** Only named resources are shown. */
  readonly named?: boolean
}

/** Servers × resources. A cell is the version that the server writes, and in brackets the others that it reads. */
export function renderStatus(status: FleetStatus, nowMs: number, options: RenderOptions): string {
  const { rows, hidden } = chooseRows(status.resources, options)
  const more = hidden === 0 ? '' : `\n… and ${hidden} more that need attention (--all shows them)`
  const table =
    rows.length === 0
      ? ''
      : [
          `${renderRows(rows, status.servers, nowMs, options)}${more}`,
          ...legendOf(rows, status.servers),
        ].join('\n')
  const parts = [
    status.servers.length === 0 && status.aggregated ? '' : renderServers(status.servers, nowMs, options),
    table,
    ...renderAlarms(status.resources),
    verdict(status, rows.length + hidden, options),
    ...renderAggregated(status.aggregated ?? [], nowMs, options),
    renderTrigger(status.migrations, status.resources),
    renderNotes(status),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function verdict(
  { resources, problems, aggregated = [] }: FleetStatus,
  shown: number,
  { named = false }: RenderOptions,
): string {
  // Only resources of aggregated servers were named, or only they have records.
  if (resources.length + problems.length === 0 && aggregated.length > 0) return ''
  const all = aggregated.length === 0 ? 'every resource' : 'every resource of this fleet'
  const what = named ? `the ${resources.length === 1 ? 'resource' : 'resources'} named` : all
  return renderVerdict({ resources, problems, what }, shown)
}

function renderServers(servers: readonly ServerStatus[], nowMs: number, { wide }: RenderOptions): string {
  return formatTable(
    ['', 'INSTANCE', 'RELEASE', 'SERVER', 'HOST', 'UP', 'RENEWED', ...(wide ? ['LEASE', 'PROCESS'] : [])],
    servers.map((server) => [
      server.name,
      server.instance ?? '-',
      server.release ?? '-',
      server.serverID,
      server.hostname ?? '-',
      formatAge(server.since, nowMs),
      renewed(server, nowMs),
      ...(wide ? [leaseOf(server), server.process ?? '-'] : []),
    ]),
  )
}

function renewed({ hasLease, silentSeconds, renewed: at }: ServerStatus, nowMs: number): string {
  if (!hasLease) return 'no Lease'
  if (silentSeconds !== undefined) return `silent for ${formatSeconds(silentSeconds)}`
  return `${formatAge(at, nowMs)} ago`
}

function leaseOf({ leaseDurationSeconds }: ServerStatus): string {
  return leaseDurationSeconds === undefined ? '-' : formatSeconds(leaseDurationSeconds)
}
