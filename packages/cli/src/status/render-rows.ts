import { versionNameOf } from '@strata/api'
import type { ResourceStatus, ServerStatus } from '@strata/insight'
import { formatAge } from '@strata/insight'
import type { Table } from '../output/report.ts'

/** What the cells of servers mean, by how they begin. Cells that begin otherwise need no explanation. */
const legends: readonly [cell: RegExp, server: string][] = [
  [/^refuses \((.+?)\)/, 'refuses writes and can read $1.'],
  [/^not served \((.+?)\)/, 'does not serve the resource, and can read only $1 of it.'],
  [/^-$/, 'has no entry for the resource.'],
  [/^(?!refuses )([^ ]+) \((.+?)\)/, 'writes $1 and can also read $2.'],
]

/** Explains each form of cell that occurs, by an example. */
export function legendOf(rows: readonly ResourceStatus[], servers: readonly ServerStatus[]): string[] {
  const cells = rows.flatMap((row) => servers.map(({ serverID }) => cell(row, serverID, false)))
  return legends.flatMap(([form, server]) => {
    const [example] = cells.flatMap((text) => form.exec(text)?.[0] ?? [])
    return example === undefined ? [] : [`${example} means: this server ${example.replace(form, server)}`]
  })
}

/** A row for each resource, with a column for each server. */
export function tableOfRows(
  rows: readonly ResourceStatus[],
  servers: readonly ServerStatus[],
  nowMs: number,
  { wide }: { readonly wide: boolean },
): Table {
  const hasVotes = rows.some(({ selection }) => selection !== undefined)
  return {
    columns: [
      ...['RESOURCE', 'AGREED', 'SINCE', 'EPOCH', 'FENCED'],
      ...(hasVotes ? ['SELECTED'] : []),
      ...(wide ? ['STORED', 'GAP'] : []),
      ...servers.map(({ name }) => name),
    ],
    rows: rows.map((each) => [
      each.resource,
      each.agreedVersion === undefined ? 'NO' : versionNameOf(each.agreedVersion),
      formatAge(each.agreedSince ?? each.disagreedSince, nowMs),
      each.epoch === 0 ? '-' : String(each.epoch),
      each.fenced ? 'yes' : 'no',
      ...(hasVotes ? [selected(each, nowMs)] : []),
      ...(wide ? [persisted(each), gap(each)] : []),
      ...servers.map(({ serverID }) => cell(each, serverID, wide)),
    ]),
  }
}

/** The versions of stored objects: more than the agreed one until they are migrated. */
function persisted({ persistedVersions }: ResourceStatus): string {
  return persistedVersions.map(versionNameOf).join(', ') || '-'
}

function gap({ recordingGap }: ResourceStatus): string {
  return recordingGap === undefined ? '-' : `epoch ${recordingGap.epoch}`
}

function selected({ selection }: ResourceStatus, nowMs: number): string {
  if (!selection) return '-'
  return `${versionNameOf(selection.selectedVersion)}, ${formatAge(selection.selectedSince, nowMs)}`
}

function cell({ servers, selection }: ResourceStatus, serverID: string, wide: boolean): string {
  const entry = servers[serverID]
  if (!entry) return '-'
  const encodes = entry.notServed
    ? 'not served'
    : entry.refusesWrites
      ? 'refuses'
      : versionNameOf(entry.encodes)
  const others = entry.decodes.map(versionNameOf).filter((each) => each !== encodes)
  const reads = others.length === 0 ? encodes : `${encodes} (${others.join(', ')})`
  const wants = selection?.candidates[serverID]
  const prefers =
    wants === undefined || wants === selection?.selectedVersion ? '' : ` prefers ${versionNameOf(wants)}`
  const form = entry.prefers === undefined ? 'reports' : 'votes'
  const under = entry.writesUnder === undefined ? '' : ` under ${entry.writesUnder}`
  return `${reads}${prefers}${wide ? ` ${form} ${entry.guarantee}${under}` : ''}`
}
