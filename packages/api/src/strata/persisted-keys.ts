import type { AgreementStatus } from './storage-agreement.ts'

/** Of persisted keys that nobody knows. Nobody may rely on a list that contains it. */
export const unknownKey = 'Unknown'

/** Of what is stored as it is, without encryption. */
export const plainKey = 'identity'

/**
 * The keys that stored objects of a resource may be encrypted under, as its agreement record remembers them: most records
 * say nothing, for nothing is encrypted.
 */
export function persistedKeysOf(
  status: Pick<AgreementStatus, 'persistedKeys'> | undefined,
): readonly string[] {
  return status ? (status.persistedKeys ?? [plainKey]) : []
}

/** The key that all those who write do so under; undefined if there are several, or nobody writes. */
export function commonWriteKey(
  servers: readonly { readonly writeKey: string; readonly refusesWrites?: boolean }[],
): string | undefined {
  const [only, ...others] = new Set(
    servers.filter(({ refusesWrites }) => !refusesWrites).map(({ writeKey }) => writeKey),
  )
  return others.length === 0 ? only : undefined
}

/** Whether somebody who has those keys opens what that one has sealed. Which keys a KMS opens is known to it alone. */
export function opensKey(readableKeys: readonly string[], key: string): boolean {
  return readableKeys.includes(key) || readableKeys.includes(`${key.slice(0, key.lastIndexOf(':'))}:*`)
}
