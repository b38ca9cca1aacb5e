import { plainKey } from '@strata/api'

/** The parts of a key that Strata's records name, `aesgcm:key2:3f9a…`, or that a user names: `aesgcm:key2`. */
export interface KeyText {
  readonly provider: string
  /** Empty for `identity`. */
  readonly name: string
}

export function keyTextOf(key: string): KeyText {
  const [provider = '', name = ''] = key.split(':')
  return { provider, name: decodeURIComponent(name) }
}

/** Without the fingerprint of its secret. */
export function shortKey(key: string): string {
  const { provider, name } = keyTextOf(key)
  return name === '' ? provider : `${provider}:${name}`
}

/** Whether a key is the one that a user names: by its name, by provider and name, or with the fingerprint of a record. */
export function isKey(key: string, wanted: string): boolean {
  if (key === wanted) return true
  const parts = wanted.split(':').length
  return parts === 1 ? keyTextOf(key).name === wanted : parts === 2 && shortKey(key) === wanted
}

/** Whether bytes under this key may name the other one: bytes end a name at its first colon. */
export const isCutTo = (key: string, inBytes: string): boolean =>
  shortKey(key).startsWith(`${shortKey(inBytes)}:`)

/** Stands for a key where the bytes of an object are neither encrypted nor an object. */
export const unreadableBytes = 'unreadable'

/**
 * The key that the bytes of a value name, `aesgcm:v1:key1`, as files and records name it, which encode the name; `identity` for
 * bytes that are not encrypted. The text was read byte by byte, and the name is UTF-8.
 */
export function keyOfBytes(key: string | undefined): string {
  if (key === undefined) return plainKey
  const [provider = '', , name = ''] = key.split(':')
  return `${provider}:${encodeURIComponent(Buffer.from(name, 'latin1').toString())}`
}
