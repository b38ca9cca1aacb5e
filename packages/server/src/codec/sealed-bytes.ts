/** The beginning of all encrypted values of every writer; neither JSON nor any other encoding begins like this. */
const head = Buffer.from('k8s:enc:')
/** Provider and format, then the name of the key: `k8s:enc:aesgcm:v1:key1:`. */
const shown = /^k8s:enc:[a-z0-9]+:v\d+:[^:]*:/
const headBytes = 300

/** Marks clear text that may not be read without the identity provider. It is never stored. */
export const clearTextSeal = 'k8s:enc:identity:v1:plain:'

interface Reason {
  readonly why: string
  /** A later attempt may succeed: a KMS did not answer. */
  readonly isPassing: boolean
}
const reasons = new WeakMap<Uint8Array, Reason>()

/** Remembers why these encrypted bytes cannot be decrypted here, as long as the bytes are kept. */
export function markSealed(stored: Uint8Array, reason: Reason): void {
  reasons.set(stored, reason)
}

/** Whether these bytes cannot be decrypted only for now. */
export const isSealedForNow = (stored: Uint8Array): boolean => reasons.get(stored)?.isPassing === true

export function isSealed(stored: Uint8Array): boolean {
  for (let at = 0; at < head.length; at++) if (stored[at] !== head[at]) return false
  return true
}

/** The header of encrypted bytes: provider, format, and the name of the key. */
export function sealText(stored: Uint8Array): string {
  const text = Buffer.from(stored.buffer, stored.byteOffset, Math.min(stored.byteLength, headBytes))
  const [found = head.toString()] = shown.exec(text.toString('latin1')) ?? []
  return found
}

/** How an operator can make the sealed bytes readable here. */
export function unsealingAdvice(stored: Uint8Array): string {
  return sealText(stored) === clearTextSeal
    ? 'add `identity: {}` as the last provider of this server, in --encryption-provider-config'
    : 'give this server the key that it was written under, in --encryption-provider-config'
}

/** Why encrypted bytes cannot be read here. */
export function whySealed(stored: Uint8Array): string {
  return reasons.get(stored)?.why ?? 'this server has no --encryption-provider-config'
}
