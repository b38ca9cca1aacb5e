import { deadline, uuid, type World } from '@strata/world'
import { type BoundObject, type BoundObjectLookup, decideBinding } from './bound-objects.ts'
import { hasValidSignature, parseToken, signToken } from './json-web-token.ts'
import {
  decideClaims,
  leewayMs,
  type NameAndUid,
  type ServiceAccountClaims,
  tokenClaims,
  usernameOf,
} from './service-account-claims.ts'
import type { SigningKey, VerificationKey } from './signing-key.ts'
import { asAuthenticated, credentialId, type User } from './user.ts'
import { VerifiedTokens } from './verified-tokens.ts'

/** How service account tokens are signed and verified; the same for all servers of a fleet. */
export interface ServiceAccountTokenOptions {
  /** New tokens name the first; tokens of all of them are accepted. */
  readonly issuers: readonly [string, ...string[]]
  /** The names of this API; a token must be for one of them. */
  readonly apiAudiences: readonly string[]
  readonly signingKey: SigningKey
  /** All keys whose tokens are accepted; during a rotation the old one is among them. */
  readonly verificationKeys: readonly VerificationKey[]
  /** The maximum lifetime of tokens. */
  readonly maxLifeSeconds?: number | undefined
  /** The URL of the keys; by default below the first issuer. */
  readonly jwksUri?: string | undefined
}

export type TokenVerdict =
  | { readonly user: User; readonly audiences: readonly string[] }
  | { readonly refused: string }
  | 'foreign'

interface Verified {
  readonly claims: ServiceAccountClaims
  readonly account: BoundObject
  readonly secret: BoundObject | undefined
  readonly verdict: TokenVerdict
}

export interface IssueRequest {
  readonly namespace: string
  readonly account: NameAndUid
  readonly secret: NameAndUid | undefined
  readonly audiences: readonly string[]
  readonly lifeSeconds: number
}

const catchUpMs = 5_000

/** Signs tokens for service accounts, and authenticates them. */
export class ServiceAccountTokens {
  readonly options: ServiceAccountTokenOptions
  readonly #world: World
  readonly #accounts: BoundObjectLookup
  readonly #secrets: BoundObjectLookup
  readonly #catchUp: (signal: AbortSignal) => Promise<unknown>
  readonly #verified: VerifiedTokens<Verified>

  constructor(
    options: ServiceAccountTokenOptions,
    parts: {
      readonly world: World
      readonly accounts: BoundObjectLookup
      readonly secrets: BoundObjectLookup
      /** Resolves when the lookups see everything that was written before. */
      readonly catchUp: (signal: AbortSignal) => Promise<unknown>
    },
  ) {
    this.options = options
    this.#world = parts.world
    this.#accounts = parts.accounts
    this.#secrets = parts.secrets
    this.#catchUp = parts.catchUp
    this.#verified = new VerifiedTokens(parts.world.clock)
  }

  /** `credentialId` is the name of the token in audit logs. */
  issue(request: IssueRequest): { readonly token: string; readonly credentialId: string } {
    const tokenId = uuid(this.#world.random)
    const { issuers, signingKey } = this.options
    const nowSeconds = Math.floor(this.#world.clock.wallMs() / 1000)
    const claims = tokenClaims({ ...request, tokenId, nowSeconds, issuer: issuers[0] })
    return { token: signToken(signingKey, claims), credentialId: idOf(tokenId) }
  }

  /**
   * Authenticates a token for one of the given audiences. Synchronous, unless its account or secret is missing or another one: it
   * may have been created through another server a moment ago, so the answer waits for the cache to catch up.
   */
  authenticate(
    token: string,
    signal: AbortSignal,
    audiences: readonly string[] = this.options.apiAudiences,
  ): TokenVerdict | Promise<TokenVerdict> {
    const isForApi = audiences === this.options.apiAudiences
    const known = isForApi ? this.#verified.get(token) : undefined
    if (known && this.#isStillRight(known)) return known.verdict
    const parsed = parseToken(token)
    if (!parsed || !this.options.issuers.includes(parsed.claims['iss'] as string)) return 'foreign'
    if (!hasValidSignature(parsed, this.options.verificationKeys)) return { refused: 'invalid signature' }
    const nowMs = this.#world.clock.wallMs()
    const decided = decideClaims(parsed.claims, { issuers: this.options.issuers, audiences, nowMs })
    if (decided === 'foreign' || 'refused' in decided) return decided
    const claims = decided.accepted
    const found = this.#lookUp(claims)
    if ('refused' in found) return this.#lookAgain(claims, signal)
    if (isForApi) this.#verified.set(token, found)
    return found.verdict
  }

  async #lookAgain(claims: ServiceAccountClaims, signal: AbortSignal): Promise<TokenVerdict> {
    const limit = deadline(this.#world.clock, catchUpMs, signal)
    try {
      await this.#catchUp(limit.signal)
    } finally {
      limit.dispose()
    }
    const found = this.#lookUp(claims)
    return 'refused' in found ? found : found.verdict
  }

  /** The objects it depends on are unchanged: a changed one would be another JavaScript object. */
  #isStillRight({ claims, account, secret }: Verified): boolean {
    const { namespace } = claims
    return (
      this.#world.clock.wallMs() - leewayMs <= claims.expiresAtMs &&
      account.deletedAtMs === undefined &&
      this.#accounts(namespace, claims.account.name) === account &&
      (claims.secret === undefined ||
        (secret?.deletedAtMs === undefined && this.#secrets(namespace, claims.secret.name) === secret))
    )
  }

  #lookUp(claims: ServiceAccountClaims): Verified | { readonly refused: string } {
    const { namespace } = claims
    const nowMs = this.#world.clock.wallMs()
    const account = this.#accounts(namespace, claims.account.name)
    const lost = decideBinding(account, claims.account, nowMs)
    if (!account || lost) return { refused: accountProblem(lost, claims, account) }
    const secret = claims.secret && this.#secrets(namespace, claims.secret.name)
    if (claims.secret && decideBinding(secret, claims.secret, nowMs)) {
      return { refused: 'service account token has been invalidated' }
    }
    const verdict = { user: userOf(claims), audiences: claims.audiences }
    return { claims, account, secret, verdict }
  }
}

function accountProblem(
  lost: ReturnType<typeof decideBinding>,
  { namespace, account }: ServiceAccountClaims,
  found: BoundObject | undefined,
): string {
  if (lost === 'another') {
    return `service account UID (${found?.uid}) does not match claim (${account.uid})`
  }
  if (lost === 'deleted') return `service account ${namespace}/${account.name} has been deleted`
  return `serviceaccounts "${account.name}" not found`
}

function userOf({ namespace, account, tokenId }: ServiceAccountClaims): User {
  return asAuthenticated({
    name: usernameOf(namespace, account.name),
    uid: account.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    ...(tokenId === '' ? {} : { extra: { [credentialId]: [idOf(tokenId)] } }),
  })
}

const idOf = (tokenId: string): string => `JTI=${tokenId}`
