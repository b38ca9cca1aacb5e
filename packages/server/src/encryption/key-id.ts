import { createHash, createHmac } from 'node:crypto'

/**
 * What a key is called among servers, in agreement records and in census: provider, name, and a fingerprint. Not the name
 * alone: another secret under the same name is another key, and who has the one cannot read what the other has sealed. The
 * fingerprint tells nothing of the secret, and has no blank in it, nor has anything else here.
 */
export type KeyId = string

/** Stored as it is. */
export const identityKey: KeyId = 'identity'

export function keyId(provider: string, name: string, secret: Uint8Array): KeyId {
  const mac = createHmac('sha256', secret).update(`strata.dev/key-fingerprint ${provider} ${name}`)
  return `${provider}:${encodeURIComponent(name)}:${mac.digest('hex').slice(0, 12)}`
}

/** The key of a KMS has no secret that we know; its own name for it is hashed, as kube-apiserver does in its metrics. */
export function kmsKeyId(name: string, keyID: string): KeyId {
  return `kms:${encodeURIComponent(name)}:${createHash('sha256').update(keyID).digest('hex').slice(0, 12)}`
}

/**
 * The same key where it has wrapped the key of an object itself, as kube-apiserver had it do before 1.29, and no seed. Nobody
 * writes so here, so that such an object is stale, as it is upstream; whoever opens the one opens the other.
 */
export function givenKmsKeyId(name: string, keyID: string): KeyId {
  return `${kmsKeyId(name, keyID)}-given`
}

/** Every key of a KMS: which ones it can still open is known to it alone. */
export function anyKmsKey(name: string): KeyId {
  return `kms:${encodeURIComponent(name)}:*`
}
