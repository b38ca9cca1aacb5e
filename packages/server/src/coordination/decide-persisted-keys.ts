import { type AgreementStatus, commonWriteKey, persistedKeysOf, plainKey, unknownKey } from '@strata/api'
import { type PersistedFacts, refuseProof } from './decide-persisted.ts'

/**
 * What stored objects may be encrypted under: all that ever was, and what the servers write under from now on. Decided in the
 * commit that stores the entries, so that a key stands here before the first object is under it. Otherwise: a server is
 * given a new key, writes one object, and is taken away; the key is dropped everywhere, and the object is lost.
 *
 * Absent where that is only "as it is": nothing is encrypted, and most records need not say so.
 */
export function decidePersistedKeys({
  previous,
  writers,
  isUnrecorded,
  proof,
  next,
}: PersistedFacts): Pick<AgreementStatus, 'persistedKeys'> {
  const isProven =
    proof?.writeKey !== undefined &&
    refuseProof(proof, previous, next) === undefined &&
    proof.writeKey === commonWriteKey(writers)
  const written = writers.map(({ writeKey }) => writeKey)
  const keys = isProven
    ? written.slice(0, 1)
    : [...persistedKeysOf(previous), ...written, ...(isUnrecorded ? [unknownKey] : [])]
  const persistedKeys = [...new Set(keys)].sort()
  return persistedKeys.length === 1 && persistedKeys[0] === plainKey ? {} : { persistedKeys }
}
