import type { FleetStatus, ServerStatus } from '@strata/insight'
import {
  chooseRows,
  formatAge,
  formatSeconds,
  type RowChoice,
  renderAlarms,
  renderNotes,
  renderTrigger,
  renderVerdict,
} from '@strata/insight'
import { renderText } from '../output/render-text.ts'
import { type Section, type Table, textSections } from '../output/report.ts'
import { sectionsOfAggregated } from './render-aggregated.ts'
import { legendOf, tableOfRows } from './render-rows.ts'

export interface RenderOptions extends RowChoice {
  /** Also the columns that are seldom needed. */
  readonly wide: boolean
  /** Only named resources are shown. */
  readonly named?: boolean
}

export function renderStatus(status: FleetStatus, nowMs: number, options: RenderOptions): string {
  return renderText(sectionsOfStatus(status, nowMs, options))
}

/** Servers × resources. A cell is the version that the server writes, and in brackets the others that it reads. */
export function sectionsOfStatus(
  status: FleetStatus,
  nowMs: number,
  options: RenderOptions,
): readonly Section[] {
  const { rows, hidden } = chooseRows(status.resources, options)
  const more = hidden === 0 ? [] : [`… and ${hidden} more that need attention (--all shows them)`]
  const legend = legendOf(rows, status.servers)
  return [
    ...(status.servers.length === 0 && status.aggregated
      ? []
      : [{ table: tableOfServers(status.servers, nowMs, options) }]),
    ...(rows.length === 0
      ? []
      : [{ table: tableOfRows(rows, status.servers, nowMs, options), notes: [...more, ...legend] }]),
    ...textSections(...renderAlarms(status.resources), verdict(status, rows.length + hidden, options)),
    ...sectionsOfAggregated(status.aggregated ?? [], nowMs, options),
    ...textSections(renderTrigger(status.migrations, status.resources), renderNotes(status)),
  ]
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

function tableOfServers(servers: readonly ServerStatus[], nowMs: number, { wide }: RenderOptions): Table {
  return {
    columns: [
      '',
      'INSTANCE',
      'RELEASE',
      'SERVER',
      'HOST',
      'UP',
      'RENEWED',
      ...(wide ? ['LEASE', 'PROCESS'] : []),
    ],
    rows: servers.map((server) => [
      server.name,
      server.instance ?? '-',
      server.release ?? '-',
      server.serverID,
      server.hostname ?? '-',
      formatAge(server.since, nowMs),
      renewed(server, nowMs),
      ...(wide ? [leaseOf(server), server.process ?? '-'] : []),
    ]),
  }
}

function renewed({ hasLease, silentSeconds, renewed: at }: ServerStatus, nowMs: number): string {
  if (!hasLease) return 'no Lease'
  if (silentSeconds !== undefined) return `silent for ${formatSeconds(silentSeconds)}`
  return `${formatAge(at, nowMs)} ago`
}

function leaseOf({ leaseDurationSeconds }: ServerStatus): string {
  return leaseDurationSeconds === undefined ? '-' : formatSeconds(leaseDurationSeconds)
}
