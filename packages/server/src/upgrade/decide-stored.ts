import { type AgreementStatus, persistedVersionsOf, unknownVersion } from '@strata/api'
import { unrecordedEncoding, writersOf } from '../coordination/index.ts'

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
  const isUnrecorded =
    status.encodings.includes(unrecordedEncoding) || (status.unseenProcesses ?? []).length > 0
  const isFenced = status.conditions.some(({ type, status: holds }) => type === 'Fenced' && holds === 'True')
  return sorted([
    ...read,
    ...written,
    ...(isUnrecorded ? [unknownVersion] : []),
    ...(isFenced ? [] : remembered.filter((each) => each !== unknownVersion)),
  ])
}

const sorted = (versions: readonly string[]): string[] => [...new Set(versions)].sort()

/** Whether the record is enough to say that everything can be read. If not, somebody has to look at what is stored. */
export function isReadableByRecord(
  status: AgreementStatus | undefined,
  readable: readonly string[],
): boolean {
  return status !== undefined && persistedVersionsOf(status).every((each) => readable.includes(each))
}
