import type { AgreementEntry, Lease } from '@strata/api'
import type { History } from '../history.ts'
import { leasePrefix } from '../keys.ts'
import { type MirrorState, type MirroredState, mirrorStates, type OriginState, originNameOf, originStates } from './origin-states.ts'
import { replay } from './records.ts'
import { leaseIn } from './stored-json.ts'
import type { Checker, Violation } from './violation.ts'

type Found = Omit<Violation, 'checker'>

const mirroredValue = 'aggregated-apiserver'

/**
 * What the aggregator stores of an aggregated resource was so in the store of that resource: each state that a StorageVersion names
 * (uid, epoch, revision of the record) was that of the record, an entry that is new or changed is that of the named state, and no later
 * write goes back to an earlier state. An entry may be missing if its mirrored Lease is: the collector removes it. And a mirrored Lease
 * makes no member: no record of the aggregator names its server.
 */
export const trueMirror: Checker = {
  name: 'true-mirror',
  *check(history) {
    if (history.origins.length === 0) return
    const leases = new MirroredLeases(history)
    yield* versions(history, leases)
    yield* members(history, leases)
  },
}

function* versions(history: History, leases: MirroredLeases): Iterable<Found> {
  const origins = new Map(history.origins.map((each) => [originNameOf(each), originStates(each)]))
  const newest = new Map<string, MirroredState>()
  let before: MirrorState | undefined
  for (const state of mirrorStates(history)) {
    const { atMs, writer, isGone } = state
    const shown: OriginState[] = []
    // A new object has nothing to be compared with when it is created: a leader that was frozen meanwhile may do so late.
    if (isGone) newest.clear()
    for (const each of state.origins) {
      const stood = origins.get(each.origin)?.find((one) => isState(one, each, atMs))
      if (stood) shown.push(stood)
      else yield { atMs, text: `${writer} stored ${describe(each)}, and the record never was that` }
      const last = newest.get(`${each.origin} ${each.recordUID}`)
      newest.set(`${each.origin} ${each.recordUID}`, each)
      if (last && Number(each.resourceVersion) < Number(last.resourceVersion))
        yield { atMs, text: `${writer} went back from ${describe(last)} to ${describe(each)}` }
    }
    for (const text of entries(state, before, shown, leases)) yield { atMs, text: `${writer} stored ${text}` }
    before = state
  }
}

const describe = ({ origin, recordUID, epoch, resourceVersion }: MirroredState): string =>
  `epoch ${epoch} of the record ${recordUID} at ${resourceVersion} in ${origin}`

function isState({ uid, status, revision, fromMs }: OriginState, said: MirroredState, nowMs: number): boolean {
  if (fromMs > nowMs || uid !== said.recordUID || status?.epoch !== said.epoch) return false
  return String(revision) === said.resourceVersion
}

/** The record is named first, and its entries are shown in a second write. */
function* entries(
  { entries: shown, atMs, common }: MirrorState,
  before: MirrorState | undefined,
  states: readonly OriginState[],
  leases: MirroredLeases,
): Iterable<string> {
  const was = new Map((before?.entries ?? []).map((each) => [each.apiServerID, each.encodingVersion]))
  const changed = shown.filter((each) => was.get(each.apiServerID) !== each.encodingVersion)
  const expected = new Map(
    states.flatMap(({ status }) =>
      (status?.servers ?? []).map((each) => [each.serverID, shownVersion(each)] as const),
    ),
  )
  for (const { apiServerID, encodingVersion } of changed) {
    const said = expected.get(leases.serverOf(apiServerID) ?? '')
    if (said !== encodingVersion)
      yield `that ${apiServerID} encodes ${encodingVersion}; the record says ${said ?? 'nothing of it'}`
  }
  const named = new Set(shown.map(({ apiServerID }) => leases.serverOf(apiServerID)))
  for (const server of changed.length > 0 ? expected.keys() : []) {
    if (named.has(server) || !leases.stoodFor(server, before?.atMs ?? 0, atMs)) continue
    yield `no entry of ${server}, which the record has and whose mirrored Lease stands`
  }
  if (common !== undefined && shown.some((each) => each.encodingVersion !== common))
    yield `that all encode ${common}, which they do not`
}

/** A server that cannot write what is selected is shown with what it prefers. */
function shownVersion({ encodingVersion, decodableVersions, preferredVersion }: AgreementEntry): string {
  return decodableVersions.includes(encodingVersion) ? encodingVersion : (preferredVersion ?? encodingVersion)
}

function* members(history: History, leases: MirroredLeases): Iterable<Found> {
  if (leases.names.length === 0) return
  for (const { commit, state, written, apply } of replay(history)) {
    apply()
    for (const name of written.keys()) {
      const record = state.records.get(name)
      const text = record ? JSON.stringify(record.status) : ''
      const counted = leases.names.find((each) => text.includes(each))
      if (counted) yield { atMs: commit.atMs, text: `${commit.writer} counts ${counted} in ${name}` }
    }
  }
}

/** The Leases of aggregated servers, as they stood in the aggregator's store. */
class MirroredLeases {
  /** By the name of the Lease: of which server it is, and when it came and went. */
  readonly #all = new Map<string, { readonly server: string; readonly spans: { fromMs: number; toMs: number }[] }>()

  constructor({ commits }: History) {
    for (const { atMs, changes } of commits) {
      for (const change of changes) {
        if (!change.key.startsWith(leasePrefix)) continue
        const name = change.key.slice(leasePrefix.length)
        const lease = change.kind === 'put' ? leaseIn(change.value) : undefined
        const last = this.#all.get(name)?.spans.at(-1)
        if (lease && isMirrored(lease) && (!last || last.toMs <= atMs)) this.#begin(name, lease, atMs)
        else if (!lease && last) last.toMs = Math.min(last.toMs, atMs)
      }
    }
  }

  #begin(name: string, { metadata }: Lease, fromMs: number): void {
    const server = metadata.annotations?.['strata.dev/origin-server'] ?? ''
    const known = this.#all.get(name) ?? { server, spans: [] }
    known.spans.push({ fromMs, toMs: Number.POSITIVE_INFINITY })
    this.#all.set(name, known)
  }

  get names(): readonly string[] {
    return [...this.#all.keys()]
  }

  serverOf(name: string): string | undefined {
    return this.#all.get(name)?.server
  }

  /** Whether the Lease of a server stood for all of the time. */
  stoodFor(server: string, fromMs: number, toMs: number): boolean {
    return [...this.#all.values()].some(
      (each) =>
        each.server === server && each.spans.some((span) => span.fromMs <= fromMs && span.toMs > toMs),
    )
  }
}

const isMirrored = ({ metadata }: Lease): boolean =>
  metadata.labels?.['apiserver.kubernetes.io/identity'] === mirroredValue
