import {
  instanceAnnotation,
  type Lease,
  recordsWritesAnnotation,
  refusedResources,
  refusesEncryptionFile,
  releaseAnnotation,
  renewIntervalAnnotation,
  upstreamRenewIntervalSeconds,
} from '@strata/api'
import { secondsSince } from '../output/age.ts'

export interface ServerStatus {
  /** S1, S2, …: short enough for a column, and the same in every list of one status. */
  readonly name: string
  readonly serverID: string
  /** What people called it when they started it. */
  readonly instance: string | undefined
  readonly release: string | undefined
  readonly hostname: string | undefined
  /** This run of it; a restart has another. */
  readonly process: string | undefined
  /** Since when this run has held its Lease. */
  readonly since: string | undefined
  /** False for a server of which only entries are left. */
  readonly hasLease: boolean
  /** False for one that says that it writes without recording in which version. */
  readonly recordsWrites: boolean
  readonly renewed: string | undefined
  readonly leaseDurationSeconds: number | undefined
  /** Set if it has missed three renewals in a row, by this machine's clock. */
  readonly silentSeconds: number | undefined
  /** Resources of which it says that it serves nothing, because it cannot decode what is stored; undefined if it says nothing. */
  readonly refuses: readonly string[] | undefined
  /** It goes on with an older encryption configuration than its file has; absent if it does not. */
  readonly refusesEncryptionFile?: true
}

/** So many renewals may be missed before people are told: one can be late, and clocks differ a little. */
const missedRenewals = 3

/** Everyone with a Lease, in the order of their instances, and then whoever has left only entries behind. */
export function describeServers(
  leases: readonly Lease[],
  withEntries: readonly string[],
  nowMs: number,
): ServerStatus[] {
  const alive = leases.map((lease) => describeLease(lease, nowMs)).sort(byInstance)
  const known = new Set(alive.map(({ serverID }) => serverID))
  const gone = [...new Set(withEntries)].filter((id) => !known.has(id)).sort()
  const rest = gone.map((serverID) => ({ ...nothingKnown, serverID, hasLease: false }))
  return [...alive, ...rest].map((server, index) => ({ name: `S${index + 1}`, ...server }))
}

/** For people: the name of its column, and what they called it. */
export function shownServer({ name, instance, serverID }: ServerStatus): string {
  return `${name} (${instance ?? serverID})`
}

/** The same in a text that speaks of ids. */
export function namedServers(text: string, servers: readonly ServerStatus[]): string {
  const names = new Map(servers.map((each) => [each.serverID, shownServer(each)]))
  return text.replace(/[\w-]+/g, (word) => names.get(word) ?? word)
}

const nothingKnown = {
  instance: undefined,
  release: undefined,
  hostname: undefined,
  process: undefined,
  since: undefined,
  recordsWrites: true,
  renewed: undefined,
  leaseDurationSeconds: undefined,
  silentSeconds: undefined,
  refuses: undefined,
}

function describeLease(lease: Lease, nowMs: number): Omit<ServerStatus, 'name'> {
  const { metadata, spec } = lease
  const said = Number(metadata.annotations?.[renewIntervalAnnotation])
  const renewSeconds = said > 0 ? said : upstreamRenewIntervalSeconds
  const age = spec?.renewTime === undefined ? undefined : secondsSince(spec.renewTime, nowMs)
  return {
    serverID: metadata.name ?? '',
    instance: metadata.annotations?.[instanceAnnotation],
    release: metadata.annotations?.[releaseAnnotation],
    hostname: metadata.labels?.['kubernetes.io/hostname'],
    process: spec?.holderIdentity,
    since: spec?.acquireTime,
    hasLease: true,
    recordsWrites: metadata.annotations?.[recordsWritesAnnotation] !== 'false',
    renewed: spec?.renewTime,
    leaseDurationSeconds: spec?.leaseDurationSeconds,
    silentSeconds: age !== undefined && age > missedRenewals * renewSeconds ? age : undefined,
    refuses: refusedResources(lease),
    ...(refusesEncryptionFile(lease) ? { refusesEncryptionFile: true } : {}),
  }
}

// Numbers in names count as numbers: strata-10 comes after strata-9.
const order = new Intl.Collator('en', { numeric: true })
const byInstance = (a: Omit<ServerStatus, 'name'>, b: Omit<ServerStatus, 'name'>): number =>
  Number(a.instance === undefined) - Number(b.instance === undefined) ||
  order.compare(a.instance ?? '', b.instance ?? '') ||
  order.compare(a.serverID, b.serverID)
