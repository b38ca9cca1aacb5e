import { unknownKey } from './persisted.ts'

/** Of what is stored as it is, without encryption. */
export const plainKey = 'identity'

/**
 * Stands in what a server says of keys that it was not given at all. Whoever has started it knows by that, and not by the rest
 * of the words, that waiting does not help: other servers, or a KMS that is down, are told of in other words.
 */
export const lacksKeyPhrase = 'which this server does not have'

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

/** Keys that stored objects may be under and none of these servers has; nothing where nobody says what it has. */
export function keysNobodyHas(
  persistedKeys: readonly string[],
  servers: readonly { readonly readableKeys: readonly string[] }[],
): readonly string[] {
  if (servers.length === 0) return []
  return persistedKeys.filter(
    (key) => key !== unknownKey && !servers.some(({ readableKeys }) => opensKey(readableKeys, key)),
  )
}
