import { versionNameOf } from '@strata/api'
import { formatAge, formatSeconds } from '../output/age.ts'
import { formatTable } from '../output/table.ts'
import type { FleetStatus } from './fleet-status.ts'
import { groupTexts } from './group-texts.ts'
import { renderNotes } from './render-notes.ts'
import { chooseRows, type RowChoice } from './resource-rows.ts'
import { type ResourceStatus, writeRefusals } from './resource-status.ts'
import type { ServerStatus } from './server-status.ts'
import { renderTrigger } from './trigger-status.ts'

export interface RenderOptions extends RowChoice {
  /** Also the columns that are seldom needed. */
  readonly wide: boolean
  /** Only named resources are shown. */
  readonly named?: boolean
}

/** What the cells of servers mean, by how they begin. Cells that begin otherwise need no explanation. */
const legends: readonly [cell: RegExp, server: string][] = [
  [/^refuses \((.+?)\)/, 'refuses writes and can read $1.'],
  [/^not served \((.+?)\)/, 'does not serve the resource, and can read only $1 of it.'],
  [/^-$/, 'has no entry for the resource.'],
  [/^(?!refuses )([^ ]+) \((.+?)\)/, 'writes $1 and can also read $2.'],
]

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
    renderServers(status.servers, nowMs, options),
    table,
    ...renderAlarms(status),
    verdict(status, rows.length + hidden, options),
    renderTrigger(status.migrations, status.resources),
    renderNotes(status),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
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

function legendOf(rows: readonly ResourceStatus[], servers: readonly ServerStatus[]): string[] {
  const cells = rows.flatMap((row) => servers.map(({ serverID }) => cell(row, serverID, false)))
  return legends.flatMap(([form, server]) => {
    const [example] = cells.flatMap((text) => form.exec(text)?.[0] ?? [])
    return example === undefined ? [] : [`${example} means: this server ${example.replace(form, server)}`]
  })
}

function renderRows(
  rows: readonly ResourceStatus[],
  servers: readonly ServerStatus[],
  nowMs: number,
  { wide }: RenderOptions,
): string {
  const hasVotes = rows.some(({ selection }) => selection !== undefined)
  return formatTable(
    [
      ...['RESOURCE', 'AGREED', 'SINCE', 'EPOCH', 'FENCED'],
      ...(hasVotes ? ['SELECTED'] : []),
      ...(wide ? ['STORED', 'GAP'] : []),
      ...servers.map(({ name }) => name),
    ],
    rows.map((each) => [
      each.resource,
      each.agreedVersion === undefined ? 'NO' : versionNameOf(each.agreedVersion),
      formatAge(each.agreedSince ?? each.disagreedSince, nowMs),
      String(each.epoch),
      each.fenced ? 'yes' : 'no',
      ...(hasVotes ? [selected(each, nowMs)] : []),
      ...(wide ? [persisted(each), gap(each)] : []),
      ...servers.map(({ serverID }) => cell(each, serverID, wide)),
    ]),
  )
}

const indented = (texts: readonly string[]): string => texts.map((text) => `\n  ${text}`).join('')

function renderAlarms({ resources }: FleetStatus): string[] {
  const alarms = [
    ['UNREADABLE OBJECTS ARE BEING WRITTEN:', groupTexts(resources, (each) => each.unreadable)],
    ['STORED OBJECTS MAY BE UNREADABLE:', groupTexts(resources, (each) => each.undecodable ?? [])],
    ['RESOURCES ARE NOT SERVED:', groupTexts(resources, (each) => each.notServed ?? [])],
    ['WRITES ARE REFUSED:', groupTexts(resources, writeRefusals)],
  ] as const
  return alarms.map(([head, texts]) => (texts.length === 0 ? '' : head + indented(texts)))
}

function verdict(
  { resources, problems }: FleetStatus,
  shown: number,
  { named = false }: RenderOptions,
): string {
  if (resources.length === 0 && problems.length > 0) return `Nothing is agreed:${indented(problems)}`
  const bad = resources.filter(({ agreed }) => !agreed)
  const rest = shown < resources.length ? ` (--all lists ${resources.length === 1 ? 'it' : 'them'})` : ''
  const agreed = `${count(resources.length - bad.length)} agreed${rest}.`
  if (bad.length === 0) {
    const hasAlarms = resources.some(({ unreadable, refusals }) => unreadable.length + refusals.length > 0)
    const [who, but] = hasAlarms
      ? ['The servers that write agree', ', but see the problems above']
      : ['All servers agree', '']
    const what = named ? `the ${resources.length === 1 ? 'resource' : 'resources'} named` : 'every resource'
    const all = `${who} on the version of ${what}${but}: ${agreed}`
    return problems.length === 0 ? all : `${all}\nBut${indented(problems)}`
  }
  const texts = [...problems, ...groupTexts(bad, (each) => each.problems)]
  return `No agreement on ${bad.length} of ${count(resources.length)}:${indented(texts)}\n${agreed}`
}

function count(resources: number): string {
  return resources === 1 ? '1 resource' : `${resources} resources`
}

function renewed({ hasLease, silentSeconds, renewed: at }: ServerStatus, nowMs: number): string {
  if (!hasLease) return 'no Lease'
  if (silentSeconds !== undefined) return `silent for ${formatSeconds(silentSeconds)}`
  return `${formatAge(at, nowMs)} ago`
}

function leaseOf({ leaseDurationSeconds }: ServerStatus): string {
  return leaseDurationSeconds === undefined ? '-' : formatSeconds(leaseDurationSeconds)
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
