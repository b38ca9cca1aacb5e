/** How all encrypted values begin, whoever wrote them; no JSON and no other form of an object does. */
const head = Buffer.from('k8s:enc:')
/** Provider and form, then what the key is called: `k8s:enc:aesgcm:v1:key1:`. */
const shown = /^k8s:enc:[a-z0-9]+:v\d+:[^:]*:/
const headBytes = 300

/** How what is stored in clear text, and should not be, is told apart from what may be read. Nobody stores it so. */
export const clearTextSeal = 'k8s:enc:identity:v1:plain:'

const reasons = new WeakMap<Uint8Array, string>()

/** Keeps why these bytes, which are encrypted, could not be decrypted here, for as long as they are kept. */
export function markSealed(stored: Uint8Array, why: string): void {
  reasons.set(stored, why)
}

export function isSealed(stored: Uint8Array): boolean {
  for (let at = 0; at < head.length; at++) if (stored[at] !== head[at]) return false
  return true
}

/** What encrypted bytes say about themselves: provider, form, and the name of the key. */
export function sealText(stored: Uint8Array): string {
  const text = Buffer.from(stored.buffer, stored.byteOffset, Math.min(stored.byteLength, headBytes))
  const [found = head.toString()] = shown.exec(text.toString('latin1')) ?? []
  return found
}

/** What would make sealed bytes readable here. */
export function unsealingAdvice(stored: Uint8Array): string {
  return sealText(stored) === clearTextSeal
    ? 'add `identity: {}` as the last provider of this server, in --encryption-provider-config'
    : 'give this server the key that it was written under, in --encryption-provider-config'
}

/** Why stored bytes that are encrypted cannot be read here. */
export function whySealed(stored: Uint8Array): string {
  return reasons.get(stored) ?? 'this server has no --encryption-provider-config'
}
