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

/** More than a kind has versions and keys between two migrations; of what is older only the keys are known. */
const mostPersisted = 64

/** Somebody has read every stored object of the resource, while the record stood in this epoch: all were so. */
export interface PersistedProof {
  readonly epoch: number
  readonly encodingVersion: string
  readonly writeKey: string
}

export interface PersistedFacts {
  readonly previous: AgreementStatus | undefined
  /** Of those who may write from this commit on; kept while nobody is there. */
  readonly encodings: readonly string[]
  /** Somebody writes whom no entry stands for (rule 18), */
  readonly isUnrecorded: boolean
  /** or something may have been written so in an earlier epoch. */
  readonly gap: GapCause | undefined
  /** Loose servers that are gone may still write what they wrote before (rule 14). */
  readonly hasLooseMarks: boolean
  readonly proof: PersistedProof | undefined
  /** No server writes, and nothing is stored. */
  readonly isEmptied: boolean
  /** What the record is going to say. */
  readonly next: Standing
}

interface Standing {
  readonly epoch: number
  readonly agreedVersion: string | undefined
  /** The key that all write under. */
  readonly writeKey: string | undefined
  readonly isFenced: boolean
}

/**
 * What stored objects may be in: all that ever was, and what the servers write from now on, each with the latest epoch in
 * which somebody may have. It is decided in the commit that stores the entries, so that a version and a key stand here before
 * their first object can: a guarded write commits only under a record with its writer's entry, a loose server begins when its
 * entry is stored, and one that records nothing only after the record says that somebody does. Otherwise: a server of the next
 * release comes, writes v2 and goes within a second; the fleet agrees on v1 as before, and a release that cannot read v2 is
 * called safe. Or: a server is given a new key, writes one object, and is taken away; the key is dropped everywhere, and the
 * object is lost.
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
 * Why a proof is of no account; undefined if it is. In the epoch in which everything was read every write was guarded, in the
 * agreed version and under the common key: so what came after the reading is as what was read. Epochs tell that nothing else
 * came in between, for a loose server, a gap and another encoding each begin one.
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
 * Of what does not fit, all that is under one key becomes a version that nobody knows, which says less and never too little.
 * No key goes, however many there are (rule 17). Otherwise: k1 is not named any more; a server that lacks it opens for
 * writes, and what is stored under k1 is lost to its clients.
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
