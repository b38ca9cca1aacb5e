import { goQuoted } from '@strata/api'
import type { ParsedToken } from './json-web-token.ts'

export interface NameAndUid {
  readonly name: string
  readonly uid: string
}

/** The claims of a service account token, without its issuer and the time of signing. */
export interface ServiceAccountClaims {
  readonly namespace: string
  readonly account: NameAndUid
  /** The token is valid as long as this secret exists. */
  readonly secret: NameAndUid | undefined
  readonly audiences: readonly string[]
  readonly expiresAtMs: number
  /** '' if the token has no id. */
  readonly tokenId: string
}

export interface Expectation {
  readonly issuers: readonly string[]
  /** The accepted audiences; the token must have one of them. */
  readonly audiences: readonly string[]
  readonly nowMs: number
}

export type ClaimsVerdict =
  | { readonly accepted: ServiceAccountClaims }
  | { readonly refused: string }
  /** Not one of our tokens; another authenticator may know it. */
  | 'foreign'

/** As upstream: the clocks of servers may differ by this much. */
export const leewayMs = 60_000

export const usernameOf = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`

/** The claims of a token, as upstream writes them. */
export function tokenClaims(
  claims: Omit<ServiceAccountClaims, 'expiresAtMs'> & {
    readonly issuer: string
    readonly nowSeconds: number
    readonly lifeSeconds: number
  },
): object {
  const { namespace, account, secret, audiences, issuer, nowSeconds, lifeSeconds, tokenId } = claims
  return {
    aud: audiences,
    exp: nowSeconds + lifeSeconds,
    iat: nowSeconds,
    iss: issuer,
    jti: tokenId,
    'kubernetes.io': { namespace, ...(secret ? { secret } : {}), serviceaccount: account },
    nbf: nowSeconds,
    sub: usernameOf(namespace, account.name),
  }
}

/** Validates the claims of a token with a valid signature. The texts are upstream's: TokenReview shows them. */
export function decideClaims(claims: ParsedToken['claims'], expected: Expectation): ClaimsVerdict {
  if (!expected.issuers.includes(claims['iss'] as string)) return 'foreign'
  const read = readClaims(claims)
  if (!read) return { refused: 'service account token claims could not be validated' }
  const audiences = read.audiences.filter((each) => expected.audiences.includes(each))
  if (audiences.length === 0) {
    const [have, want] = [goQuoted(read.audiences), goQuoted(expected.audiences)]
    return { refused: `token audiences ${have} is invalid for the target audiences ${want}` }
  }
  const { nowMs } = expected
  const { nbf, iat } = claims as { nbf?: number; iat?: number }
  if (nbf !== undefined && nowMs + leewayMs < nbf * 1000) {
    return { refused: 'service account token is not valid yet' }
  }
  if (nowMs - leewayMs > read.expiresAtMs) return { refused: 'service account token has expired' }
  if (iat !== undefined && nowMs + leewayMs < iat * 1000) {
    return { refused: 'service account token is issued in the future' }
  }
  return { accepted: { ...read, audiences } }
}

function readClaims(claims: ParsedToken['claims']): ServiceAccountClaims | undefined {
  const { aud, exp, nbf, iat, jti, sub } = claims
  const own = claims['kubernetes.io'] as Readonly<Record<string, unknown>> | undefined
  if (typeof own !== 'object' || own === null) return undefined
  const account = readReference(own['serviceaccount'])
  const secret = readReference(own['secret'])
  const { namespace } = own
  const audiences = typeof aud === 'string' ? [aud] : aud
  // The object of a bound token must be looked up, and there are neither pods nor nodes here.
  const isBoundElsewhere = Object.keys(own).some((claim) => !knownClaims.has(claim))
  if (typeof namespace !== 'string' || !account || isBoundElsewhere) return undefined
  if ('secret' in own && !secret) return undefined
  if (sub !== usernameOf(namespace, account.name) || !isTextList(audiences)) return undefined
  // A token without an expiry would be valid for ever.
  if (!isTime(exp) || !(nbf === undefined || isTime(nbf)) || !(iat === undefined || isTime(iat))) {
    return undefined
  }
  const tokenId = typeof jti === 'string' ? jti : ''
  return { namespace, account, secret, audiences, expiresAtMs: exp * 1000, tokenId }
}

const knownClaims = new Set(['namespace', 'serviceaccount', 'secret', 'warnafter'])

function readReference(value: unknown): NameAndUid | undefined {
  const { name, uid } = (value ?? {}) as Readonly<Record<string, unknown>>
  return typeof name === 'string' && typeof uid === 'string' && name !== '' && uid !== ''
    ? { name, uid }
    : undefined
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
