import type { Key } from '../store/index.ts'

/** What lies behind stored bytes. */
export type StoredForm =
  /** `keyName` is that of the key under which they are encrypted; absent if they are not. */
  | { readonly plain: Uint8Array; readonly keyName?: string }
  /** Encrypted under a key that this server does not have, or damaged. */
  | { readonly unreadable: string; readonly keyName?: string }

/** Reads stored bytes as far as it takes to see what is in them. They are bound to the key where they lie. */
export type OpenStored = (key: Key, bytes: Uint8Array) => StoredForm

/** Nothing is encrypted. */
export const openPlain: OpenStored = (_, bytes) => ({ plain: bytes })
