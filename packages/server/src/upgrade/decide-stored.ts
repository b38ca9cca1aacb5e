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
 * The versions of a resource that may be stored, by its agreement record and, if available, by an exact read. The record alone
 * remembers too much: objects that were migrated or deleted since. A read alone knows too little: what live servers write in a
 * moment. So: the versions that were read, and those that current writers write. If the record does not guard every write, some
 * server may still write the versions that it remembers.
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
 * Why the stored versions are unknown because of keys; undefined if they are known. A record also names the versions of objects
 * that cannot be opened any more. Otherwise: the only server starts without the key of all objects, and an upgrade review says
 * that a release reads everything that is stored: three hundred objects that no server can read.
 */
export function decideSealed(
  status: AgreementStatus | undefined,
  read: readonly string[] | undefined,
): string | undefined {
  const keys = status ? missingKeys(persistedKeysOf(status), status.servers) : []
  // Objects that were read and opened are under none of these keys, whatever the record remembers.
  if (keys.length === 0 || (read && !read.includes(unknownVersion))) return undefined
  const them = keys.length === 1 ? 'it' : 'them'
  return `some of it may be under ${keys.join(', ')}, which no server here has; add ${them} to --encryption-provider-config`
}

const sorted = (versions: readonly string[]): string[] => [...new Set(versions)].sort()

/** Whether the record alone proves that everything can be read. If not, the objects must be read. */
export function isReadableByRecord(
  status: AgreementStatus | undefined,
  readable: readonly string[],
): boolean {
  return status !== undefined && persistedVersionsOf(status).every((each) => readable.includes(each))
}
