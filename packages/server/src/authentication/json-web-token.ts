import { isSignedBy, type SigningKey, signBytes, type VerificationKey } from './signing-key.ts'

/** A parsed token. Nothing in it may be trusted before its signature is verified. */
export interface ParsedToken {
  readonly algorithm: string
  /** '' if the token does not name its key. */
  readonly keyId: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly signedBytes: Uint8Array
  readonly signature: Uint8Array
}

const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/
/** Our tokens are far shorter; parsing longer ones would only cost time. */
const longestToken = 16 * 1024

/** A JSON Web Token in its compact form, or undefined for anything else. */
export function parseToken(token: string): ParsedToken | undefined {
  if (token.length > longestToken) return undefined
  const [, head = '', body = '', signature = ''] = compactForm.exec(token) ?? []
  const header = parsePart(head)
  const claims = parsePart(body)
  if (!header || !claims) return undefined
  const { alg, kid = '', crit } = header
  // `crit` lists extensions that the reader must understand; none is supported here.
  if (typeof alg !== 'string' || typeof kid !== 'string' || crit !== undefined) return undefined
  return {
    algorithm: alg,
    keyId: kid,
    claims,
    signedBytes: Buffer.from(`${head}.${body}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

function parsePart(part: string): Readonly<Record<string, unknown>> | undefined {
  if (part === '') return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return value as Record<string, unknown>
  } catch {
    // Not JSON, so not a token.
    return undefined
  }
}

export function signToken(key: SigningKey, claims: object): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode({ alg: key.algorithm, kid: key.keyId })}.${encode(claims)}`
  return `${signed}.${signBytes(key, Buffer.from(signed)).toString('base64url')}`
}

/**
 * Whether one of our keys signed it. The algorithm in the token must be the key's own: otherwise a forger could choose `none`, or
 * use the public key as the secret of a symmetric algorithm.
 */
export function hasValidSignature(token: ParsedToken, keys: readonly VerificationKey[]): boolean {
  const { algorithm, keyId, signedBytes, signature } = token
  return keys.some(
    (key) =>
      (keyId === '' || key.keyId === keyId) &&
      key.algorithm === algorithm &&
      isSignedBy(key, signedBytes, signature),
  )
}
