import { agreementName, type GroupResource, recordNonceAnnotation, type StorageAgreement } from '@strata/api'
import { storageRoot } from '../../codec/index.ts'
import type { Entry, Guard, Key, Revision, Write } from '../../store/index.ts'
import { agreementKey } from '../frozen-kinds.ts'

/**
 * The nonce of a record (agreement.md, rule 19). Each change of a record also writes random bytes to a key beside it, and
 * the record repeats them in an annotation, for code that reads only the record. A guard of the record compares its revision
 * and these bytes.
 *
 * The revision alone is not enough, because revisions repeat after a restore. Without the nonce:
 *
 * 1. A backup is made at revision 100. Server A's entry says v1.
 * 2. At 105 the record moves, still with A's entry. A sends a write in v1, guarded by 105; the network holds it.
 * 3. The store is restored to 100. The servers agree on v2 without A; the change of the record happens to be 105.
 * 4. A's write arrives. Its guard of 105 holds, and v1 is stored under a record that says that all write v2.
 *
 * The bytes alone are not enough either: a server of an earlier release moves the record and does not know of them.
 */
export function nonceKey(resource: GroupResource): Key {
  // Below `ticks/`, which earlier releases leave alone. Another place would be a custom resource to them, and with `*.*`
  // in an encryption configuration they would look for the key that it is under.
  return `${storageRoot}strata.dev/ticks/records/${agreementName(resource)}`
}

/** The nonce in a record's annotation; undefined if only servers of earlier releases have written the record. */
export function nonceOf({ metadata }: StorageAgreement): string | undefined {
  return metadata.annotations?.[recordNonceAnnotation]
}

export function withNonce({ metadata, ...record }: StorageAgreement, nonce: string): StorageAgreement {
  const annotations = { ...metadata.annotations, [recordNonceAnnotation]: nonce }
  return { ...record, metadata: { ...metadata, annotations } }
}

export function nonceWrite(resource: GroupResource, nonce: string): Write {
  return { kind: 'put', key: nonceKey(resource), value: Buffer.from(nonce) }
}

/** The nonce that is stored at its key. */
export function storedNonce(entry: Entry | undefined): string | undefined {
  return entry && Buffer.from(entry.value).toString()
}

export function nonceGuard(resource: GroupResource, nonce: string | undefined): Guard {
  const key = nonceKey(resource)
  return nonce === undefined ? { key, revision: 'absent' } : { key, value: Buffer.from(nonce) }
}

/** The guards of a write that was made under a record: the store refuses the write if the agreement record has moved. */
export function recordGuards(
  resource: GroupResource,
  revision: Revision | 'absent',
  nonce: string | undefined,
): readonly [Guard, Guard] {
  return [{ key: agreementKey(resource), revision }, nonceGuard(resource, nonce)]
}
