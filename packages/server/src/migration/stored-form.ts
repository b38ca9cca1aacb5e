import { isSealed, sealText, whySealed } from '../codec/index.ts'
import type { Entry } from '../store/index.ts'

/** The content of stored bytes. */
export type StoredForm =
  /** `keyName` is the key that they are encrypted under; absent if they are not. */
  | { readonly plain: Uint8Array; readonly keyName?: string | undefined }
  /** Encrypted under a key that this server does not have, or damaged. */
  | { readonly unreadable: string; readonly keyName?: string | undefined }

/** The store has opened them as far as it could (`encryption/`), and names their key. */
export function storedForm({ value, under }: Entry): StoredForm {
  if (isSealed(value)) return { unreadable: whySealed(value), keyName: under ?? sealText(value) }
  return { plain: value, keyName: under }
}
