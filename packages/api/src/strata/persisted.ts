import type { AgreementStatus } from './storage-agreement.ts'

/** An unknown version or key, as in a StorageState. No decision may rely on a list that contains it. */
export const unknownVersion = 'Unknown'
export const unknownKey = 'Unknown'

/** Stands among a record's encodings while a server writes without recording it (agreement.md, rule 18). */
export const unrecordedEncoding = 'unrecorded'

/** Why it is unknown what may be stored. */
export const unknownReasons = [
  /** A server wrote without recording it, up to that epoch. */
  'Unrecorded',
  /** The record was lost, or the resource is older than its record. */
  'RecordMadeAnew',
  /** The record was written by a release that does not keep this list. */
  'NotRemembered',
  /** There were more than a record remembers: of the oldest the version is not known any more, and the key still is. */
  'TooMany',
] as const
export type UnknownReason = (typeof unknownReasons)[number]

/**
 * A version and a key that stored objects may be in, and the latest epoch in which a server wrote so or may have. A write by a
 * loose server may arrive a little after its epoch has ended (`looseSettledMs`): code that relies on the epoch waits this long
 * unless every write is fenced. Both are `Unknown` for unrecorded writes; the version alone, if there were too many.
 */
export interface PersistedEncoding {
  readonly encodingVersion: string
  /** `identity` for what is not encrypted. */
  readonly writeKey: string
  readonly epoch: number
  /** Set if the version or the key is `Unknown`. */
  readonly reason?: UnknownReason
}

type Remembering = Pick<AgreementStatus, 'epoch' | 'encodings' | 'persisted'>

/** The versions and keys that a record's encodings name. */
export function namedEncodings(
  encodings: readonly string[],
): readonly Pick<PersistedEncoding, 'encodingVersion' | 'writeKey'>[] {
  return encodings
    .filter((each) => each !== unrecordedEncoding)
    .map((each) => {
      const [encodingVersion = '', writeKey = ''] = each.split(' ')
      return { encodingVersion, writeKey }
    })
}

/** A live server writes without recording its storage version. */
export function isWrittenUnrecorded({
  encodings,
  unseenProcesses = [],
}: Pick<AgreementStatus, 'encodings' | 'unseenProcesses'>): boolean {
  return encodings.includes(unrecordedEncoding) || unseenProcesses.length > 0
}

/**
 * The distinct encodings of a record without their guarantee: version, key and encoder, and `unrecorded`. The guarantee is
 * part of an epoch, because nothing is proven without a guard; but it changes no stored byte.
 */
export function writtenEncodings(encodings: readonly string[]): readonly string[] {
  return distinct(encodings.map((each) => each.replace(/ (strict|loose)$/, '')))
}

/**
 * All encodings that may be stored, as a record remembers them. All other answers about persisted versions come from this list.
 * If a release without this memory wrote the record last, it is unknown what was stored before its epoch. The list itself
 * shows such a write: it is absent, or does not name what is written in this epoch. Without this check, an older server could
 * change the record, keep the field that it does not understand, and store versions that the list does not name. What such a
 * list does name may still be stored: no known key is ever forgotten (rule 17).
 */
export function persistedOf(status: Remembering): readonly PersistedEncoding[] {
  const { epoch, encodings, persisted = [] } = status
  const written = namedEncodings(encodings)
  const isKept =
    status.persisted !== undefined &&
    written.every((each) => persisted.some((known) => known.epoch === epoch && isSameEncoding(known, each)))
  if (isKept) return persisted
  const now = written.map((each) => ({ ...each, epoch }))
  const unknown = { encodingVersion: unknownVersion, writeKey: unknownKey, epoch: epoch - 1 }
  const before = persisted.filter((known) => {
    return !now.some((each) => isSameEncoding(each, known)) && !isSameEncoding(unknown, known)
  })
  const latest = persisted.find((known) => known.epoch === epoch && isSameEncoding(unknown, known))
  return [...now, ...before, latest ?? { ...unknown, reason: 'NotRemembered' }]
}

type Encoding = Pick<PersistedEncoding, 'encodingVersion' | 'writeKey'>

export function isSameEncoding(a: Encoding, b: Encoding): boolean {
  return a.encodingVersion === b.encodingVersion && a.writeKey === b.writeKey
}

/**
 * The one rule of forgetting. A migrator that has read or rewritten every object during that epoch has seen all that was
 * written before it. It may have missed what was written in that epoch or later.
 */
export function persistedSince<T extends Pick<PersistedEncoding, 'epoch'>>(
  persisted: readonly T[],
  epoch: number,
): readonly T[] {
  return persisted.filter((each) => each.epoch >= epoch)
}

/** The encoding versions that stored objects may be in, sorted; contains `Unknown` if the list may be incomplete. */
export function persistedVersionsOf(status: Remembering): readonly string[] {
  return distinct(persistedOf(status).map(({ encodingVersion }) => encodingVersion))
}

/** The keys that stored objects may be encrypted under, sorted; contains `Unknown` if the list may be incomplete. */
export function persistedKeysOf(status: Remembering | undefined): readonly string[] {
  return status ? distinct(persistedOf(status).map(({ writeKey }) => writeKey)) : []
}

/** Nothing but what all write now, under the key that all write now, may be stored. */
export function isAllCurrent(status: Remembering & Pick<AgreementStatus, 'agreedVersion'>): boolean {
  const [only, ...more] = persistedOf(status)
  return only !== undefined && more.length === 0 && only.encodingVersion === status.agreedVersion
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
