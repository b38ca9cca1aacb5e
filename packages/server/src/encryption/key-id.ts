import { createHash, createHmac } from 'node:crypto'

/**
 * The name of a key in agreement records and in a census: provider, name, and a fingerprint. The name alone is not enough:
 * another secret under the same name is another key, and cannot open values of the first. The fingerprint reveals nothing about
 * the secret. A key id contains no blank.
 */
export type KeyId = string

/** Stored in clear text. */
export const identityKey: KeyId = 'identity'

export function keyId(provider: string, name: string, secret: Uint8Array): KeyId {
  const mac = createHmac('sha256', secret).update(`strata.dev/key-fingerprint ${provider} ${name}`)
  return `${provider}:${encodeURIComponent(name)}:${mac.digest('hex').slice(0, 12)}`
}

/** The secret of a KMS key is unknown to us; the plugin's name for it is hashed, as kube-apiserver does in its metrics. */
export function kmsKeyId(name: string, keyID: string): KeyId {
  return `kms:${encodeURIComponent(name)}:${createHash('sha256').update(keyID).digest('hex').slice(0, 12)}`
}

/**
 * The same KMS key where it wrapped the key of an object directly instead of a seed, as kube-apiserver did before 1.29. Our
 * servers never write so, so such an object is stale, as upstream; a server that opens one form opens the other.
 */
export function givenKmsKeyId(name: string, keyID: string): KeyId {
  return `${kmsKeyId(name, keyID)}-given`
}

/** Every key of a KMS: only the plugin knows which ones it can still open. */
export function anyKmsKey(name: string): KeyId {
  return `kms:${encodeURIComponent(name)}:*`
}
