import { versionNameOf } from '@strata/api'
import { type FleetStatus, type ResourceStatus, type ServerStatus, writeRefusals } from '@strata/insight'
import { newestFirst } from '../version-colours.ts'

/** What one server does with one resource. */
export interface MatrixCell {
  readonly serverID: string
  /** `missing`: a live server without an entry. `none`: a server without a Lease and without an entry. */
  readonly kind: 'entry' | 'missing' | 'none'
  readonly writes?: string
  /** The versions that it reads beside the one that it writes. */
  readonly reads: readonly string[]
  readonly serves: readonly string[]
  /** It would write this version if all servers voted for it. */
  readonly prefers?: string
  readonly refuses: boolean
  readonly notServed: boolean
  readonly isLoose: boolean
}

/** From the worst to the best. `note`: agreed, and something is left to do. */
export type RowTone = 'alarm' | 'disagreed' | 'note' | 'agreed'

export interface MatrixRow {
  readonly resource: string
  readonly tone: RowTone
  readonly agreed: boolean
  /** The agreed version, or the selected one of a vote. */
  readonly version?: string
  readonly since?: string
  /** Why it is not agreed, and what to do: sentences of `strata status`. */
  readonly why: readonly string[]
  readonly fenced: boolean
  /** The newest version that a server writes. Layers of others are old. */
  readonly newest?: string
  readonly cells: readonly MatrixCell[]
}

export interface Matrix {
  readonly servers: readonly Pick<ServerStatus, 'serverID' | 'name' | 'instance' | 'release'>[]
  /** Rows that need attention, the worst first. */
  readonly attention: readonly MatrixRow[]
  readonly agreed: readonly MatrixRow[]
}

export function decideMatrix({ resources, servers }: FleetStatus, filter = ''): Matrix {
  const wanted = filter.trim().toLowerCase()
  const rows = resources.filter(({ resource }) => resource.includes(wanted)).map(rowsAmong(servers))
  const attention = rows.filter(({ tone }) => tone !== 'agreed')
  return {
    servers: servers.map(({ serverID, name, instance, release }) => ({ serverID, name, instance, release })),
    attention: attention.toSorted((a, b) => tones.indexOf(a.tone) - tones.indexOf(b.tone)),
    agreed: rows.filter(({ tone }) => tone === 'agreed'),
  }
}

const tones: readonly RowTone[] = ['alarm', 'disagreed', 'note', 'agreed']

/** A status that is the same object as before has the same row. */
function rowsAmong(servers: readonly ServerStatus[]): (each: ResourceStatus) => MatrixRow {
  const among = JSON.stringify(servers.map(({ serverID, hasLease }) => [serverID, hasLease]))
  return (each) => {
    const before = known.get(each)
    if (before?.among === among) return before.row
    const row = rowOf(each, servers)
    known.set(each, { among, row })
    return row
  }
}

const known = new WeakMap<ResourceStatus, { readonly among: string; readonly row: MatrixRow }>()

function rowOf(each: ResourceStatus, servers: readonly ServerStatus[]): MatrixRow {
  const { resource, agreed, agreedVersion, selection, fenced } = each
  const version = agreedVersion ?? selection?.selectedVersion
  const since = agreed ? each.agreedSince : each.disagreedSince
  const cells = servers.map(({ serverID, hasLease }) => cellOf(serverID, hasLease, each))
  const [newest] = cells.flatMap(({ writes, refuses }) => (refuses ? [] : (writes ?? []))).sort(newestFirst)
  return {
    ...{ resource, agreed, fenced, tone: toneOf(each), why: whyOf(each) },
    ...(version === undefined ? {} : { version: versionNameOf(version) }),
    ...(since === undefined ? {} : { since }),
    ...(newest === undefined ? {} : { newest }),
    cells,
  }
}

function toneOf(each: ResourceStatus): RowTone {
  if (each.unreadable.length + (each.notServed ?? []).length > 0) return 'alarm'
  if (!each.agreed || each.refusals.length > 0) return 'disagreed'
  const isOpen = each.selection?.unanimous === false
  return isOpen || (each.undecodable ?? []).length > 0 ? 'note' : 'agreed'
}

function whyOf(each: ResourceStatus): readonly string[] {
  const { unreadable, notServed = [], problems, undecodable = [], selection } = each
  return [
    ...[...unreadable, ...notServed, ...writeRefusals(each), ...problems],
    ...[...undecodable, ...(selection?.notes ?? [])],
  ]
}

function cellOf(serverID: string, hasLease: boolean, { servers }: ResourceStatus): MatrixCell {
  const entry = servers[serverID]
  const nothing = { reads: [], serves: [], refuses: false, notServed: false, isLoose: false }
  if (!entry) return { serverID, kind: hasLease ? 'missing' : 'none', ...nothing }
  const writes = versionNameOf(entry.encodes)
  const prefers = entry.prefers === undefined ? undefined : versionNameOf(entry.prefers)
  return {
    ...{ serverID, kind: 'entry', writes },
    reads: namesOf(entry.decodes).filter((each) => each !== writes),
    serves: namesOf(entry.serves),
    ...(prefers === undefined || prefers === writes ? {} : { prefers }),
    refuses: entry.refusesWrites === true,
    notServed: entry.notServed === true,
    isLoose: entry.guarantee === 'loose',
  }
}

/** Two groups may serve the same objects, as they do events: v1 is then named once. */
const namesOf = (versions: readonly string[]): readonly string[] => [...new Set(versions.map(versionNameOf))]
