import { isSignedBy, type SigningKey, signBytes, type VerificationKey } from './signing-key.ts'

/** A token taken apart. Nothing in it is to be believed before its signature has been checked. */
export interface ParsedToken {
  readonly algorithm: string
  /** '' if the token does not say by which key it was signed. */
  readonly keyId: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly signedBytes: Uint8Array
  readonly signature: Uint8Array
}

const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/
/** No token of ours comes near; whoever sends a longer one wants us to work. */
const longestToken = 16 * 1024

/** A JSON Web Token in its compact form, or undefined for anything else. */
export function parseToken(token: string): ParsedToken | undefined {
  if (token.length > longestToken) return undefined
  const [, head = '', body = '', signature = ''] = compactForm.exec(token) ?? []
  const header = parsePart(head)
  const claims = parsePart(body)
  if (!header || !claims) return undefined
  const { alg, kid = '', crit } = header
  // An extension that must be understood is one that we do not understand.
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
 * Whether one of our keys has signed it. The algorithm that the token names must be the key's own: otherwise a forger
 * could choose `none`, or take the public key, which everybody has, for the secret of a symmetric one.
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
