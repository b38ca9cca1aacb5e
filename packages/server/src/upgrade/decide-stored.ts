import {
  type AgreementStatus,
  isFenced,
  isWrittenUnrecorded,
  missingKeys,
  persistedKeysOf,
  persistedVersionsOf,
  unknownVersion,
} from '@strata/api'
import { writersOf } from '../coordination/index.ts'

/**
 * What may be stored of a resource, by its agreement record and, where somebody has looked, by an exact reading. The record
 * alone remembers too much: what was migrated or deleted since. A reading alone knows too little: what is there now is not
 * what comes in a moment. So: what was read, and what those write who may write now. Where not every write is guarded by the
 * record, somebody may still write what it remembers.
 */
export function decideStored(
  status: AgreementStatus | undefined,
  read: readonly string[] | undefined,
): readonly string[] {
  const remembered = status ? persistedVersionsOf(status) : [unknownVersion]
  if (!read) return remembered
  if (!status) return sorted(read)
  const written = writersOf(status.servers).map(({ encodingVersion }) => encodingVersion)
  return sorted([
    ...read,
    ...written,
    ...(isWrittenUnrecorded(status) ? [unknownVersion] : []),
    ...(isFenced(status) ? [] : remembered.filter((each) => each !== unknownVersion)),
  ])
}

/**
 * Why what is stored cannot be told for the sake of keys; undefined if it can. A record names the versions also of what nobody
 * can open any more. Otherwise: the only server is started without the key that everything is under, and whoever asks
 * whether a release reads all that is stored is told yes, of three hundred objects that nobody can read.
 */
export function decideSealed(
  status: AgreementStatus | undefined,
  read: readonly string[] | undefined,
): string | undefined {
  const keys = status ? missingKeys(persistedKeysOf(status), status.servers) : []
  // What was read and opened is not under any of them, whatever the record remembers.
  if (keys.length === 0 || (read && !read.includes(unknownVersion))) return undefined
  const them = keys.length === 1 ? 'it' : 'them'
  return `some of it may be under ${keys.join(', ')}, which no server here has; add ${them} to --encryption-provider-config`
}

const sorted = (versions: readonly string[]): string[] => [...new Set(versions)].sort()

/** Whether the record is enough to say that everything can be read. If not, somebody has to look at what is stored. */
export function isReadableByRecord(
  status: AgreementStatus | undefined,
  readable: readonly string[],
): boolean {
  return status !== undefined && persistedVersionsOf(status).every((each) => readable.includes(each))
}
