import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

export type SignatureAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512'

/** A key to verify signatures with. The key decides the algorithm, never the token. */
export interface VerificationKey {
  readonly keyId: string
  readonly algorithm: SignatureAlgorithm
  readonly publicKey: KeyObject
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject
}

const hashes: Readonly<Record<SignatureAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
}
const curves: Readonly<Record<string, SignatureAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}
/** Shorter keys can be broken. */
const leastRsaBits = 2048

/** A key that cannot sign or verify tokens; the message says why. */
export class UnusableKey extends Error {
  override readonly name = 'UnusableKey'
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g

/** All keys in a PEM text. Signatures are verified with the public half of a private key. */
export function readVerificationKeys(pem: string): readonly VerificationKey[] {
  const keys: VerificationKey[] = []
  for (const [block, label = ''] of pem.matchAll(pemBlock)) {
    // openssl writes this block before a key on a named curve.
    if (label === 'EC PARAMETERS') continue
    keys.push(verificationKey(parse(block, () => createPublicKey(block))))
  }
  if (keys.length === 0) throw new UnusableKey('holds no key in PEM form')
  return keys
}

/** The private key in a PEM text. */
export function readSigningKey(pem: string): SigningKey {
  for (const [block, label = ''] of pem.matchAll(pemBlock)) {
    if (!label.endsWith('PRIVATE KEY')) continue
    return signingKey(parse(block, () => createPrivateKey(block)))
  }
  throw new UnusableKey('holds no private key in PEM form')
}

function parse(block: string, read: () => KeyObject): KeyObject {
  try {
    return read()
  } catch {
    // The library's message may quote the key.
    throw new UnusableKey(`holds a ${/BEGIN ([A-Z0-9 ]+)/.exec(block)?.[1] ?? 'key'} that cannot be read`)
  }
}

export function signingKey(privateKey: KeyObject): SigningKey {
  return { ...verificationKey(createPublicKey(privateKey)), privateKey }
}

function verificationKey(publicKey: KeyObject): VerificationKey {
  // Derived from the key, as upstream: the id does not reveal the key.
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const keyId = createHash('sha256').update(der).digest('base64url')
  return { keyId, algorithm: algorithmOf(publicKey), publicKey }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SignatureAlgorithm {
  if (asymmetricKeyType === 'rsa') {
    if ((asymmetricKeyDetails?.modulusLength ?? 0) >= leastRsaBits) return 'RS256'
    throw new UnusableKey(`holds an RSA key of less than ${leastRsaBits} bits`)
  }
  const algorithm = curves[asymmetricKeyDetails?.namedCurve ?? '']
  if (asymmetricKeyType === 'ec' && algorithm) return algorithm
  throw new UnusableKey('holds a key that is neither RSA nor on the curves P-256, P-384 or P-521')
}

/** Synchronous: one signature takes less time than a turn of the thread pool, and the order stays deterministic. */
export function signBytes({ algorithm, privateKey }: SigningKey, data: Uint8Array): Buffer {
  return sign(hashes[algorithm], data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

export function isSignedBy(
  { algorithm, publicKey }: VerificationKey,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify(hashes[algorithm], data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
}
