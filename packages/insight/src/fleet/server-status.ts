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
import { secondsSince } from '../text/age.ts'
import { type NumberServers, numberInOrder } from './remember-numbers.ts'

export interface ServerStatus {
  /** S1, S2, …: the heading of its column. Where there are no columns, its instance. */
  readonly name: string
  readonly serverID: string
  /** From `--instance`. */
  readonly instance: string | undefined
  readonly release: string | undefined
  readonly hostname: string | undefined
  /** Changes with every restart. */
  readonly process: string | undefined
  /** When this process acquired its Lease. */
  readonly since: string | undefined
  /** False if only entries of the server are left. */
  readonly hasLease: boolean
  /** False if its Lease says that it writes without recording its storage versions. */
  readonly recordsWrites: boolean
  readonly renewed: string | undefined
  readonly leaseDurationSeconds: number | undefined
  /** Set if it has missed three renewals in a row, by this machine's clock. */
  readonly silentSeconds: number | undefined
  /** Resources that it does not serve because it cannot decode stored objects; undefined if its Lease does not say. */
  readonly refuses: readonly string[] | undefined
  /** It rejected its changed encryption file and uses the previous one; absent if it did not. */
  readonly refusesEncryptionFile?: true | undefined
}

/** A server is silent after this many missed renewals: one can be late, and clocks differ a little. */
const missedRenewals = 3

/** Servers with a Lease, sorted by instance; then servers of which only entries are left. */
export function describeServers(
  leases: readonly Lease[],
  withEntries: readonly string[],
  nowMs: number,
  byInstance = false,
  numberServers: NumberServers = numberInOrder,
): ServerStatus[] {
  const alive = leases.map((lease) => describeLease(lease, nowMs)).sort(inOrder)
  const known = new Set(alive.map(({ serverID }) => serverID))
  const gone = [...new Set(withEntries)].filter((id) => !known.has(id)).sort()
  const rest = gone.map((serverID) => ({ ...nothingKnown, serverID, hasLease: false }))
  const servers = [...alive, ...rest]
  const numbers = numberServers(servers)
  return servers.map((server, index) => ({
    name: byInstance ? instanceOf(server) : `S${numbers[index]}`,
    ...server,
  }))
}

/** The name of its column, and its instance: `S2 (strata-2)`. Where there are no columns: `strata-2`. */
export function shownServer(server: ServerStatus): string {
  const instance = instanceOf(server)
  return server.name === instance ? instance : `${server.name} (${instance})`
}

function instanceOf({ instance, serverID }: Pick<ServerStatus, 'instance' | 'serverID'>): string {
  return instance ?? shortId(serverID)
}

/** `apiserver-hqmqz2kp…` for the id of a server or of a process, which are too long for a sentence. */
export function shortId(id: string): string {
  return id.replace(/^(apiserver-[a-z0-9]{8})[a-z0-9]{6,}(?:_[\w-]+)?$/, '$1…')
}

/** Replaces the ids in a text by names. */
export function namedServers(text: string, servers: readonly ServerStatus[]): string {
  const names = new Map(servers.map((each) => [each.serverID, shownServer(each)]))
  return text.replace(/[\w-]+/g, (word) => names.get(word) ?? shortId(word))
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
    refusesEncryptionFile: refusesEncryptionFile(lease) || undefined,
  }
}

// Numbers in names count as numbers: strata-10 comes after strata-9.
const order = new Intl.Collator('en', { numeric: true })

/** Each once. 1.10 comes after 1.9. */
export const releasesInOrder = (releases: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(releases.flatMap((each) => each ?? []))].sort(order.compare)

const inOrder = (a: Omit<ServerStatus, 'name'>, b: Omit<ServerStatus, 'name'>): number =>
  Number(a.instance === undefined) - Number(b.instance === undefined) ||
  order.compare(a.instance ?? '', b.instance ?? '') ||
  order.compare(a.serverID, b.serverID)
