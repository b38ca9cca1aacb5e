import { isSealed, sealText, whySealed } from '../codec/index.ts'
import type { Entry } from '../store/index.ts'

/** What lies behind stored bytes. */
export type StoredForm =
  /** `keyName` is that of the key under which they are encrypted; absent if they are not. */
  | { readonly plain: Uint8Array; readonly keyName?: string }
  /** Encrypted under a key that this server does not have, or damaged. */
  | { readonly unreadable: string; readonly keyName?: string }

/** The store has opened them as far as it could (`encryption/`), and says under which key they lie there. */
export function storedForm({ value, under }: Entry): StoredForm {
  if (isSealed(value)) return { unreadable: whySealed(value), keyName: under ?? sealText(value) }
  return { plain: value, ...(under === undefined ? {} : { keyName: under }) }
}
