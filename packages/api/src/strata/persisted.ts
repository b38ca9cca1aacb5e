import type { AgreementStatus } from './storage-agreement.ts'

/** Of a version or a key that nobody knows; as in a StorageState. Nobody may rely on a list that contains it. */
export const unknownVersion = 'Unknown'
export const unknownKey = 'Unknown'

/** Stands among a record's encodings while somebody writes who does not record it (agreement.md, rule 18). */
export const unrecordedEncoding = 'unrecorded'

/** Why nobody knows what may be stored, for programs. */
export const unknownReasons = [
  /** Somebody wrote without recording it, up to that epoch. */
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
 * What stored objects of a resource may be in: a version and a key, and the latest epoch in which somebody wrote so or may
 * have; what a loose server that stays had on its way when that epoch ended may arrive a little later (`looseSettledMs`), and
 * whoever relies on the epoch where not every write is guarded waits for as long. Both are `Unknown` for what nobody
 * recorded; the version alone, where there were too many.
 */
export interface PersistedEncoding {
  readonly encodingVersion: string
  /** `identity` for what is not encrypted. */
  readonly writeKey: string
  readonly epoch: number
  /** Of what nobody knows. */
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

/** Somebody writes of whom nobody knows in what. */
export function isWrittenUnrecorded({
  encodings,
  unseenProcesses = [],
}: Pick<AgreementStatus, 'encodings' | 'unseenProcesses'>): boolean {
  return encodings.includes(unrecordedEncoding) || unseenProcesses.length > 0
}

/**
 * The distinct ways of writing among a record's encodings: version, key and encoder, and `unrecorded`. Whether a guard goes
 * with it is part of what an epoch is about, for without one nothing is proven; but it changes no byte of what is stored.
 */
export function waysOfWriting(encodings: readonly string[]): readonly string[] {
  return distinct(encodings.map((each) => each.replace(/ (strict|loose)$/, '')))
}

/**
 * What may be stored, as a record remembers it; everything else that is said of it is read from this list. Of a record that
 * was last written by a release without this memory nobody knows what was stored before its epoch. That such a release has
 * written is seen from the list itself: it is absent, or does not name what is written in this epoch. Otherwise: an older
 * server changes the record, keeps what it does not understand, and stores what the list does not name. What such a list does
 * name may be stored all the same: no key is forgotten that somebody still knows of (rule 17).
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
 * The one rule of forgetting. Whoever has read every object while that epoch stood, or rewrote it, knows of all that was
 * written before; what was written in that epoch or later, it may not have seen.
 */
export function persistedSince<T extends Pick<PersistedEncoding, 'epoch'>>(
  persisted: readonly T[],
  epoch: number,
): readonly T[] {
  return persisted.filter((each) => each.epoch >= epoch)
}

/** The encoding versions that stored objects may be in, sorted; `Unknown` among them where nobody knows. */
export function persistedVersionsOf(status: Remembering): readonly string[] {
  return distinct(persistedOf(status).map(({ encodingVersion }) => encodingVersion))
}

/** The keys that stored objects may be encrypted under, sorted; `Unknown` among them where nobody knows. */
export function persistedKeysOf(status: Remembering | undefined): readonly string[] {
  return status ? distinct(persistedOf(status).map(({ writeKey }) => writeKey)) : []
}

/** Nothing but what all write now, under the key that all write now, may be stored. */
export function isAllCurrent(status: Remembering & Pick<AgreementStatus, 'agreedVersion'>): boolean {
  const [only, ...more] = persistedOf(status)
  return only !== undefined && more.length === 0 && only.encodingVersion === status.agreedVersion
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
