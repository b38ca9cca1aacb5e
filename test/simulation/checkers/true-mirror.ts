import type { AgreementEntry } from '@strata/api'
import type { History } from '../history.ts'
import { LeaseSpans } from './lease-spans.ts'
import {
  type MirroredState,
  type MirrorState,
  mirrorStates,
  type OriginState,
  originNameOf,
  originStates,
} from './origin-states.ts'
import { replay } from './records.ts'
import type { Checker, Violation } from './violation.ts'

type Found = Omit<Violation, 'checker'>

/**
 * What the aggregator stores of an aggregated resource was so in the store of that resource. Each state that a StorageVersion
 * names (uid, epoch, revision of the record) was that of the record, an entry that is new or changed is that of the named state,
 * and no later write goes back to an earlier state. An entry may be missing if its Lease is, here or there. And a mirrored Lease
 * makes no member: no record of the aggregator names its server.
 */
export const trueMirror: Checker = {
  name: 'true-mirror',
  *check(history) {
    if (history.origins.length === 0) return
    const leases = new LeaseSpans(history, 'aggregated-apiserver')
    yield* versions(history, leases)
    yield* members(history, leases)
  },
}

/** One aggregated fleet. */
interface Origin {
  readonly states: readonly OriginState[]
  readonly leases: LeaseSpans
}

function* versions(history: History, leases: LeaseSpans): Iterable<Found> {
  const origins = new Map<string, Origin>(
    history.origins.map((each) => [
      originNameOf(each),
      { states: originStates(each), leases: new LeaseSpans(each, 'kube-apiserver') },
    ]),
  )
  const newest = new Map<string, MirroredState>()
  let before: MirrorState | undefined
  for (const state of mirrorStates(history)) {
    const { atMs, writer, isGone } = state
    // A new object has nothing to be compared with when it is created: a leader that was frozen meanwhile may do so late.
    if (isGone) newest.clear()
    for (const named of state.origins) {
      const last = newest.get(`${named.origin} ${named.recordUID}`)
      newest.set(`${named.origin} ${named.recordUID}`, named)
      if (last && Number(named.resourceVersion) < Number(last.resourceVersion))
        yield { atMs, text: `${writer} went back from ${describe(last)} to ${describe(named)}` }
      const origin = origins.get(named.origin)
      const stood = origin?.states.find((each) => isState(each, named, atMs))
      if (!origin || !stood) {
        yield { atMs, text: `${writer} stored ${describe(named)}, and the record never was that` }
        continue
      }
      const shown = { state, before, named, stood, leases, inOrigin: origin.leases }
      for (const text of entries(shown)) yield { atMs, text: `${writer} stored ${text}` }
    }
    const { common, entries: all } = state
    const stray = all.find(({ apiServerID }) => !leases.get(apiServerID))
    if (stray)
      yield { atMs, text: `${writer} stored an entry of ${stray.apiServerID}, which never had a Lease` }
    if (common !== undefined && all.some((each) => each.encodingVersion !== common))
      yield { atMs, text: `${writer} stored that all encode ${common}, which they do not` }
    before = state
  }
}

const describe = ({ origin, recordUID, epoch, resourceVersion }: MirroredState): string =>
  `epoch ${epoch} of the record ${recordUID} at ${resourceVersion} in ${origin}`

function isState(
  { uid, status, revision, fromMs }: OriginState,
  said: MirroredState,
  nowMs: number,
): boolean {
  if (fromMs > nowMs || uid !== said.recordUID || status?.epoch !== said.epoch) return false
  return String(revision) === said.resourceVersion
}

interface ShownOfOrigin {
  readonly state: MirrorState
  readonly before: MirrorState | undefined
  readonly named: MirroredState
  /** What the record was. */
  readonly stood: OriginState
  /** Mirrored Leases, and those of the origin. */
  readonly leases: LeaseSpans
  readonly inOrigin: LeaseSpans
}

/** The record is named first, and its entries are shown in a second write. */
function* entries({ state, before, named, stood, leases, inOrigin }: ShownOfOrigin): Iterable<string> {
  const serverOf = (apiServerID: string): string | undefined =>
    leases.get(apiServerID)?.metadata.annotations?.['strata.dev/origin-server']
  const own = state.entries.filter(
    ({ apiServerID }) => leases.get(apiServerID)?.metadata.labels?.['strata.dev/origin'] === named.origin,
  )
  const was = new Map((before?.entries ?? []).map((each) => [each.apiServerID, each.encodingVersion]))
  const changed = own.filter((each) => was.get(each.apiServerID) !== each.encodingVersion)
  const expected = new Map((stood.status?.servers ?? []).map((each) => [each.serverID, shownVersion(each)]))
  for (const { apiServerID, encodingVersion } of changed) {
    const said = expected.get(serverOf(apiServerID) ?? '')
    if (said !== encodingVersion)
      yield `that ${apiServerID} encodes ${encodingVersion}; the record says ${said ?? 'nothing of it'}`
  }
  if (changed.length === 0) return
  const shown = new Set(own.map(({ apiServerID }) => serverOf(apiServerID)))
  const sinceMs = before?.atMs ?? 0
  for (const name of leases.names) {
    const server = serverOf(name) ?? ''
    if (!expected.has(server) || shown.has(server) || !leases.stoodFor(name, sinceMs, state.atMs)) continue
    if (inOrigin.stoodFor(server, sinceMs, state.atMs))
      yield `no entry of ${server}, which the record has and whose Leases stand`
  }
}

/** A server that cannot write what is selected is shown with what it prefers. */
function shownVersion({ encodingVersion, decodableVersions, preferredVersion }: AgreementEntry): string {
  return decodableVersions.includes(encodingVersion) ? encodingVersion : (preferredVersion ?? encodingVersion)
}

function* members(history: History, { names }: LeaseSpans): Iterable<Found> {
  if (names.length === 0) return
  for (const { commit, state, written, apply } of replay(history)) {
    apply()
    for (const name of written.keys()) {
      const record = state.records.get(name)
      const text = record ? JSON.stringify(record.status) : ''
      const counted = names.find((each) => text.includes(each))
      if (counted) yield { atMs: commit.atMs, text: `${commit.writer} counts ${counted} in ${name}` }
    }
  }
}
