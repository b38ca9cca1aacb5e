import { unknownKey } from './persisted.ts'

/** The name of no encryption: objects are stored as plain text. */
export const plainKey = 'identity'

/**
 * Part of the message about keys that the server does not have. The parent process finds it in the output, and then does not
 * wait for the server. Messages about other servers, or a KMS that is down, do not contain it.
 */
export const lacksKeyPhrase = 'which this server does not have'

/** The key that all writers use; undefined if they use several, or no server writes. */
export function commonWriteKey(
  servers: readonly { readonly writeKey: string; readonly refusesWrites?: boolean }[],
): string | undefined {
  const [only, ...others] = new Set(
    servers.filter(({ refusesWrites }) => !refusesWrites).map(({ writeKey }) => writeKey),
  )
  return others.length === 0 ? only : undefined
}

/** Whether a server with those keys can decrypt what was encrypted with this one. Only a KMS knows which keys it decrypts. */
export function opensKey(readableKeys: readonly string[], key: string): boolean {
  return readableKeys.includes(key) || readableKeys.includes(`${key.slice(0, key.lastIndexOf(':'))}:*`)
}

/** Keys that stored objects may be under and none of these servers has; empty if no server reports its keys. */
export function missingKeys(
  persistedKeys: readonly string[],
  servers: readonly { readonly readableKeys: readonly string[] }[],
): readonly string[] {
  if (servers.length === 0) return []
  return persistedKeys.filter(
    (key) => key !== unknownKey && !servers.some(({ readableKeys }) => opensKey(readableKeys, key)),
  )
}
