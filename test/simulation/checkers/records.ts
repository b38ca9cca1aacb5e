import type {
  AgreementStatus,
  DiscoveryDocHash,
  Lease,
  StorageAgreement,
  StorageVersion,
  StorageVersionBallot,
} from '@strata/api'
import type { Change } from '@strata/server/store'
import type { History, ObservedCommit } from '../history.ts'
import { agreementPrefix, ballotPrefix, docHashesKey, leasePrefix, storageVersionPrefix } from '../keys.ts'
import { ballotIn, leaseIn, projectionIn, recordIn, reportsIn } from './stored-json.ts'

/** What agreement is made of, as it stood in the store at one moment. */
export interface AgreementState {
  /** By the name of the record. */
  readonly records: Map<string, StorageAgreement>
  readonly projections: Map<string, StorageVersion>
  readonly ballots: Map<string, Ballot>
  /** Identity Leases, by server. */
  readonly leases: Map<string, StoredLease>
  /** How often one of them came, went or changed hands: most commits renew a Lease, which changes neither. */
  leaseTurns: number
  /** What servers say of their documents, by server. */
  readonly reports: Map<string, StoredReport>
}

export type Ballot = StorageVersionBallot

export interface StoredLease {
  readonly lease: Lease
  readonly renewedMs: number
}

export interface StoredReport {
  readonly report: DiscoveryDocHash
  /** The simulated process that said so: the report itself names no process. */
  readonly writer: string
}

/** The records that a commit writes or deletes, as they stood before it. */
export type RecordsBefore = ReadonlyMap<string, StorageAgreement | undefined>

export interface Replayed {
  readonly commit: ObservedCommit
  readonly state: AgreementState
  /** All others are the same afterwards: who compares, or looks at one record by itself, looks at these only. */
  readonly written: RecordsBefore
  readonly apply: () => void
}

/**
 * Every commit in the store's order, with agreement as it stood before and after it. One state is changed in
 * place, so that it is `before` until the commit has been applied: take from it what is needed, when it is.
 */
export function* replay(history: History): Iterable<Replayed> {
  const state: AgreementState = {
    ...{ records: new Map(), projections: new Map(), ballots: new Map(), leases: new Map() },
    ...{ reports: new Map(), leaseTurns: 0 },
  }
  for (const commit of history.commits) {
    const { effects, records } = meaningOf(commit)
    let applied = false
    const apply = (): void => {
      if (!applied) for (const effect of effects) effect(state)
      applied = true
    }
    yield { commit, state, written: recordsBefore(state, records), apply }
    apply()
  }
}

const noRecords: RecordsBefore = new Map()

function recordsBefore({ records }: AgreementState, names: readonly string[]): RecordsBefore {
  return names.length === 0 ? noRecords : new Map(names.map((name) => [name, records.get(name)]))
}

/** What one change does to the state. */
type Effect = (state: AgreementState) => void

interface Meaning {
  readonly effects: readonly Effect[]
  /** The names of the records that it writes or deletes. */
  readonly records: readonly string[]
}

/** Every checker replays the same commits; what they say is read once. */
const meanings = new WeakMap<ObservedCommit, Meaning>()

function meaningOf(commit: ObservedCommit): Meaning {
  const known = meanings.get(commit)
  if (known) return known
  const meaning = {
    effects: commit.changes.flatMap((change) => effectOf(change, commit) ?? []),
    records: commit.changes.flatMap(({ key }) =>
      key.startsWith(agreementPrefix) ? [key.slice(agreementPrefix.length)] : [],
    ),
  }
  meanings.set(commit, meaning)
  return meaning
}

function effectOf(change: Change, { atMs, writer }: ObservedCommit): Effect | undefined {
  const { key } = change
  const value = change.kind === 'put' ? change.value : undefined
  const below = (prefix: string): string | undefined =>
    key.startsWith(prefix) ? key.slice(prefix.length) : undefined
  const record = below(agreementPrefix)
  if (record !== undefined) return setting('records', record, value && recordIn(value))
  const projection = below(storageVersionPrefix)
  if (projection !== undefined) return setting('projections', projection, value && projectionIn(value))
  const ballot = below(ballotPrefix)
  if (ballot !== undefined) return setting('ballots', ballot, value && ballotIn(value))
  const server = below(leasePrefix)
  if (server !== undefined) return leaseEffect(server, value && leaseIn(value), atMs)
  if (key !== docHashesKey) return undefined
  const hashes = value ? reportsIn(value) : []
  return ({ reports }) => applyReports(reports, hashes, writer)
}

function leaseEffect(server: string, lease: Lease | undefined, atMs: number): Effect {
  // The Leases of aggregated servers are mirrored with another value, and are of no member of this fleet.
  const isIdentity = lease?.metadata.labels?.['apiserver.kubernetes.io/identity'] === 'kube-apiserver'
  const holder = isIdentity ? lease?.spec?.holderIdentity : undefined
  return (state) => {
    const { leases } = state
    const before = leases.get(server)
    const isSameHand = before?.lease.spec?.holderIdentity === holder
    if ((before !== undefined) !== isIdentity || !isSameHand) state.leaseTurns++
    // A process that takes a Lease over first removes an annotation from it, which is no renewal.
    const isRenewed = before?.lease.spec?.renewTime !== lease?.spec?.renewTime
    const renewedMs = before && !isRenewed ? before.renewedMs : atMs
    if (lease && isIdentity) leases.set(server, { lease, renewedMs })
    else leases.delete(server)
  }
}

function setting<Part extends 'records' | 'projections' | 'ballots'>(
  part: Part,
  name: string,
  value: (AgreementState[Part] extends Map<string, infer Value> ? Value : never) | undefined,
): Effect {
  return (state) => {
    const map = state[part] as Map<string, typeof value>
    if (value === undefined) map.delete(name)
    else map.set(name, value)
  }
}

/** Each record as it stood from one moment on; undefined while there is none. */
export function recordTimelines(
  history: History,
): ReadonlyMap<string, readonly { readonly atMs: number; readonly record: StorageAgreement | undefined }[]> {
  const timelines = new Map<string, { atMs: number; record: StorageAgreement | undefined }[]>()
  for (const { commit, state, written, apply } of replay(history)) {
    apply()
    for (const name of written.keys()) {
      const timeline = timelines.get(name) ?? []
      timelines.set(name, timeline)
      timeline.push({ atMs: commit.atMs, record: state.records.get(name) })
    }
  }
  return timelines
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
