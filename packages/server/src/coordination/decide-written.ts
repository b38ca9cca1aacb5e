import type { AgreementStatus, WrittenEncoding, WrittenEncodings } from '@strata/api'
import { unrecordedEncoding } from './decide-gap.ts'

/** More than a kind has versions and keys in a lifetime; what is older is forgotten, and said to be. */
const mostEncodings = 64

export interface WrittenFacts {
  readonly previous: AgreementStatus | undefined
  /** Of the epoch that has been decided. */
  readonly epoch: number
  readonly encodings: readonly string[]
  /** Whether loose servers that are gone may still write what they wrote before (rule 14). */
  readonly hasLooseMarks: boolean
}

/**
 * In what the resource was ever written, and up to which epoch: what seed 001 wants persisted discovery documents for.
 * It stands in the record before the first write in it, for the entry does. Without it: a server comes with v2, writes,
 * and is taken back to v1, all between two looks of whoever keeps a StorageState; there v1 is all that may be stored, and
 * a release that cannot read v2 is called safe.
 */
export function decideWritten({ previous, epoch, encodings, hasLooseMarks }: WrittenFacts): WrittenEncodings {
  const before = historyOf(previous)
  const latest = new Map(before.encodings.map((each) => [keyOf(each), each]))
  const carried = hasLooseMarks ? before.encodings.filter((each) => each.epoch === previous?.epoch) : []
  for (const { encodingVersion, writeKey } of [...namedIn(encodings), ...carried]) {
    const now = { encodingVersion, writeKey, epoch }
    latest.set(keyOf(now), now)
  }
  const all = [...latest.values()].sort((a, b) => b.epoch - a.epoch || (keyOf(a) < keyOf(b) ? -1 : 1))
  const dropped = all.slice(mostEncodings)
  return {
    since: Math.max(before.since, ...dropped.map((each) => each.epoch + 1)),
    encodings: all.slice(0, mostEncodings),
  }
}

/** A record of a release that kept no such history knows no more than what is written in its epoch. */
function historyOf(previous: AgreementStatus | undefined): WrittenEncodings {
  if (previous === undefined) return { since: 1, encodings: [] }
  const { epoch, encodings } = previous
  return (
    previous.written ?? { since: epoch, encodings: namedIn(encodings).map((each) => ({ ...each, epoch })) }
  )
}

/** Records name an encoding by version, key, fingerprint and guarantee. */
function namedIn(encodings: readonly string[]): readonly Omit<WrittenEncoding, 'epoch'>[] {
  return encodings
    .filter((each) => each !== unrecordedEncoding)
    .map((each) => {
      const [encodingVersion = '', writeKey = ''] = each.split(' ')
      return { encodingVersion, writeKey }
    })
}

const keyOf = ({ encodingVersion, writeKey }: Omit<WrittenEncoding, 'epoch'>): string =>
  `${encodingVersion} ${writeKey}`
