import type { AgreementStatus, DiscoveryDocHash, Lease, StorageAgreement, StorageVersion } from '@strata/api'
import { agreementKind, ballotKind, docHashesKind, leaseKind, storageVersionKind } from '@strata/server'
import type { Change, Entry } from '@strata/server/store'
import type { History, ObservedCommit } from '../history.ts'
import { agreementPrefix, ballotPrefix, docHashesKey, leasePrefix, storageVersionPrefix } from '../keys.ts'

/** What agreement is made of, as it stood in the store at one moment. */
export interface AgreementState {
  /** By the name of the record. */
  readonly records: Map<string, StorageAgreement>
  readonly projections: Map<string, StorageVersion>
  readonly ballots: Map<string, Ballot>
  /** Identity Leases, by server. */
  readonly leases: Map<string, StoredLease>
  /** What servers say of their documents, by server. */
  readonly reports: Map<string, StoredReport>
}

export type Ballot = ReturnType<typeof ballotKind.decode>

export interface StoredLease {
  readonly lease: Lease
  readonly renewedMs: number
}

export interface StoredReport {
  readonly report: DiscoveryDocHash
  /** The simulated process that said so: the report itself names no process. */
  readonly writer: string
}

/**
 * Every commit in the store's order, with agreement as it stood before and after it. One state is changed in
 * place, so that it is `before` until the commit has been applied: take from it what is needed, when it is.
 */
export function* replay(
  history: History,
): Iterable<{ commit: ObservedCommit; state: AgreementState; apply: () => void }> {
  const state: AgreementState = {
    ...{ records: new Map(), projections: new Map(), ballots: new Map(), leases: new Map() },
    reports: new Map(),
  }
  for (const commit of history.commits) {
    let applied = false
    const apply = (): void => {
      if (!applied) applyChanges(state, commit)
      applied = true
    }
    yield { commit, state, apply }
    apply()
  }
}

function applyChanges(
  { records, projections, ballots, leases, reports }: AgreementState,
  commit: ObservedCommit,
): void {
  for (const change of commit.changes) {
    const { key } = change
    if (key.startsWith(agreementPrefix)) {
      set(records, key.slice(agreementPrefix.length), decoded(change, agreementKind.decode))
    } else if (key.startsWith(storageVersionPrefix)) {
      set(projections, key.slice(storageVersionPrefix.length), decoded(change, storageVersionKind.decode))
    } else if (key.startsWith(ballotPrefix)) {
      set(ballots, key.slice(ballotPrefix.length), decoded(change, ballotKind.decode))
    } else if (key.startsWith(leasePrefix)) {
      const lease = decoded(change, leaseKind.decode)
      const isIdentity = lease?.metadata.labels?.['apiserver.kubernetes.io/identity'] !== undefined
      const id = key.slice(leasePrefix.length)
      const before = leases.get(id)
      // Whoever takes a Lease takes an annotation out of it first, which renews nothing.
      const isRenewed = before?.lease.spec?.renewTime !== lease?.spec?.renewTime
      const renewedMs = before && !isRenewed ? before.renewedMs : commit.atMs
      set(leases, id, isIdentity ? { lease, renewedMs } : undefined)
    } else if (key === docHashesKey) {
      applyReports(reports, decoded(change, docHashesKind.decode)?.hashes ?? [], commit.writer)
    }
  }
}

function applyReports(
  reports: Map<string, StoredReport>,
  hashes: readonly DiscoveryDocHash[],
  writer: string,
): void {
  const before = new Map(reports)
  reports.clear()
  for (const report of hashes) {
    const old = before.get(report.apiServerID)
    const isKept =
      old?.report.builtInAPIHash === report.builtInAPIHash &&
      old.report.lastHeartbeatTime === report.lastHeartbeatTime
    reports.set(report.apiServerID, isKept ? old : { report, writer })
  }
}

/** Whether anything may be written that no guard would refuse: by who is there, by who has just gone, or was last there. */
export function mayWriteLoosely({ encodings, servers, looseUntilSettled = [] }: AgreementStatus): boolean {
  if (looseUntilSettled.length > 0) return true
  return (
    servers.some(({ guarantee }) => guarantee === 'loose') ||
    encodings.some((each) => each.endsWith(' loose'))
  )
}

/** Every checker replays the same commits; what they say is read once. */
const kept = new WeakMap<Change, unknown>()

function decoded<T>(change: Change, decode: (entry: Entry) => T): T | undefined {
  if (change.kind !== 'put') return undefined
  if (!kept.has(change)) kept.set(change, decode(change))
  return kept.get(change) as T
}

function set<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}
