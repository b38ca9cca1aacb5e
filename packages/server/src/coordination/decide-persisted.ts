import { type AgreementEntry, type AgreementStatus, persistedVersionsOf, unknownVersion } from '@strata/api'

/** Somebody has read every stored object of the resource, while the record stood in this epoch: all were in this version. */
export interface PersistedProof {
  readonly epoch: number
  readonly encodingVersion: string
  /** The key that all were under; absent if nobody looked: then no key is forgotten (rule 17). */
  readonly writeKey?: string
}

export interface PersistedFacts {
  readonly previous: AgreementStatus | undefined
  /** Those who may write from this commit on, each with what it encodes. */
  readonly writers: readonly AgreementEntry[]
  /** Somebody writes, or may have written, whom no entry stands for (rule 18). */
  readonly isUnrecorded: boolean
  readonly proof: PersistedProof | undefined
  /** What the record is going to say. */
  readonly next: {
    readonly epoch: number
    readonly agreedVersion: string | undefined
    readonly isFenced: boolean
  }
}

/**
 * What stored objects may be in: all that ever was, and what the servers encode from now on. It is decided in the commit
 * that stores the entries, so that a version stands here before its first object can: a guarded write commits only under a
 * record with its writer's entry, a loose server begins when its entry is stored, and one that records nothing only after
 * the record says that somebody does. Otherwise: a server of the next release comes, writes v2 and goes within a second; the
 * fleet agrees on v1 as before, and a release that cannot read v2 is called safe.
 */
export function decidePersisted({
  previous,
  writers,
  isUnrecorded,
  proof,
  next,
}: PersistedFacts): readonly string[] {
  if (proof && refuseProof(proof, previous, next) === undefined) return [proof.encodingVersion]
  const before = previous ? persistedVersionsOf(previous) : []
  const written = writers.map(({ encodingVersion }) => encodingVersion)
  return [...new Set([...before, ...written, ...(isUnrecorded ? [unknownVersion] : [])])].sort()
}

/**
 * Why a proof is of no account; undefined if it is. In the epoch in which everything was read every write was guarded, and
 * in the agreed version: so what came after the reading is as what was read. Epochs tell that nothing else came in between, for a
 * loose server, a gap and another encoding each begin one.
 */
export function refuseProof(
  proof: PersistedProof,
  previous: AgreementStatus | undefined,
  next: PersistedFacts['next'],
): string | undefined {
  if (previous?.epoch !== proof.epoch || next.epoch !== proof.epoch) {
    return `epoch ${proof.epoch} is over`
  }
  if (next.agreedVersion === undefined) return 'the servers do not agree'
  if (next.agreedVersion !== proof.encodingVersion) return `the servers agree on ${next.agreedVersion}`
  return next.isFenced ? undefined : 'not every write is guarded'
}
