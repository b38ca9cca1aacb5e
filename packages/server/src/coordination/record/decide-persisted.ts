import {
  type AgreementStatus,
  isSameEncoding,
  namedEncodings,
  type PersistedEncoding,
  persistedOf,
  persistedSince,
  type UnknownReason,
  unknownKey,
  unknownVersion,
} from '@strata/api'
import type { GapCause } from './decide-recording-gap.ts'

/** More than a kind has versions and keys between two migrations. Beyond it, only the keys of the oldest are kept. */
const mostPersisted = 64

/** A server has read every stored object of the resource in this epoch: all had this version and this key. */
export interface PersistedProof {
  readonly epoch: number
  readonly encodingVersion: string
  readonly writeKey: string
}

export interface PersistedFacts {
  readonly previous: AgreementStatus | undefined
  /** The encodings of the servers that may write from this commit on; those of before while there is no server. */
  readonly encodings: readonly string[]
  /** A live server writes without recording (rule 18). */
  readonly isUnrecorded: boolean
  /** Why objects may have been written without a record in earlier epochs. */
  readonly gap: GapCause | undefined
  /** Loose servers that are gone may still write what they wrote before (rule 14). */
  readonly hasLooseMarks: boolean
  readonly proof: PersistedProof | undefined
  /** No server writes, and nothing is stored. */
  readonly isEmptied: boolean
  /** The record after this change. */
  readonly next: Standing
}

interface Standing {
  readonly epoch: number
  readonly agreedVersion: string | undefined
  /** The key that all servers write under. */
  readonly writeKey: string | undefined
  readonly isFenced: boolean
}

/**
 * The versions and keys that objects may be stored in: all earlier ones, and those that the servers write from now on, each
 * with the latest epoch in which a server may have written so. Decided in the commit that stores the entries, so that a
 * version and a key are listed before their first object is stored: a guarded write commits only under a record with its
 * writer's entry, a loose server begins when its entry is stored, and a server that does not record when the record is
 * marked. Otherwise: a server of the next release comes, writes v2 and goes within a second; the fleet agrees on v1 as
 * before, and a release that cannot read v2 is called safe. Or: a server gets a new key, writes one object and leaves; the
 * key is dropped everywhere, and the object is lost.
 */
export function decidePersisted(facts: PersistedFacts): readonly PersistedEncoding[] {
  const { previous, proof, next } = facts
  if (facts.isEmptied) return []
  const before = previous ? persistedOf(previous) : []
  const latest = new Map(before.map((each) => [keyOf(each), each]))
  const add = (each: PersistedEncoding): void => {
    const known = latest.get(keyOf(each))
    if (!known || known.epoch <= each.epoch) latest.set(keyOf(each), each)
  }
  if (facts.hasLooseMarks) {
    for (const each of before) if (each.epoch === previous?.epoch) add({ ...each, epoch: next.epoch })
  }
  for (const each of namedEncodings(facts.encodings)) add({ ...each, epoch: next.epoch })
  if (facts.isUnrecorded) add(unknown('Unrecorded', next.epoch))
  if (facts.gap) add(unknown(reasonOf(facts.gap), next.epoch - 1))
  const all = bounded([...latest.values()].sort(byAge)).toSorted(byAge)
  return proof && refuseProof(proof, previous, next) === undefined ? persistedSince(all, proof.epoch) : all
}

/**
 * Why a proof is not accepted; undefined if it is. In the epoch of the proof every write was guarded, in the agreed version
 * and under the common key: so objects that came after the read are like those that were read. A loose server, a gap and
 * another encoding each begin an epoch, so nothing else came in between.
 */
export function refuseProof(
  proof: PersistedProof,
  previous: AgreementStatus | undefined,
  next: Standing,
): string | undefined {
  if (previous?.epoch !== proof.epoch || next.epoch !== proof.epoch) {
    return `epoch ${proof.epoch} is over`
  }
  const { agreedVersion, writeKey } = next
  if (agreedVersion === undefined) return 'the servers do not agree'
  if (agreedVersion !== proof.encodingVersion) return `the servers agree on ${agreedVersion}`
  if (writeKey !== proof.writeKey) return `the servers write under ${writeKey ?? 'different keys'}`
  return next.isFenced ? undefined : 'not every write is guarded'
}

function unknown(reason: UnknownReason, epoch: number): PersistedEncoding {
  return { encodingVersion: unknownVersion, writeKey: unknownKey, epoch, reason }
}

function reasonOf({ reason }: GapCause): UnknownReason {
  return reason === 'RecordMadeAnew' ? reason : 'Unrecorded'
}

/** The latest first. Rule 9: the same facts always give the same bytes. */
function byAge(a: PersistedEncoding, b: PersistedEncoding): number {
  return b.epoch - a.epoch || (keyOf(a) < keyOf(b) ? -1 : 1)
}

/**
 * Beyond the limit, the oldest versions under one key become one `Unknown` version, which stands for any version. Every key
 * stays named, however many there are (rule 17). Otherwise: k1 is not named any more; a server that lacks it opens for writes,
 * and its clients cannot read what is stored under k1.
 */
function bounded(all: readonly PersistedEncoding[]): readonly PersistedEncoding[] {
  if (all.length <= mostPersisted) return all
  const rest = all.slice(0, mostPersisted - 1)
  const oldest = Map.groupBy(all.slice(mostPersisted - 1), ({ writeKey }) => writeKey)
  const folded = [...oldest.values()].flatMap((under) => {
    const [latest, ...more] = under
    if (!latest || more.length === 0 || latest.encodingVersion === unknownVersion) return under.slice(0, 1)
    const one = { ...latest, encodingVersion: unknownVersion, reason: 'TooMany' as const }
    // It may be Unknown already, and of a later epoch.
    return rest.some((each) => isSameEncoding(each, one)) ? [] : [one]
  })
  return [...rest, ...folded]
}

const keyOf = ({ encodingVersion, writeKey }: PersistedEncoding): string => `${encodingVersion} ${writeKey}`
