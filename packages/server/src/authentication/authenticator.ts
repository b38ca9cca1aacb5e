import type { HttpHeaders } from '@strata/world'
import { bearerToken } from './bearer-token.ts'
import type { ServiceAccountTokens, TokenVerdict } from './service-account-tokens.ts'
import { anonymous, asAuthenticated, credentialId, type User } from './user.ts'

/** Who a bearer token belongs to, or undefined. */
export type TokenLookup = (token: string) => User | undefined

/** What a request shows of whoever sent it. */
export interface Credentials {
  readonly headers: HttpHeaders
  readonly peer?: {
    readonly isTrusted: boolean
    readonly commonName: string
    readonly organizations: readonly string[]
    readonly fingerprint?: string
  }
}

/** Tells who is asking. */
export interface Authenticator {
  /** Undefined: somebody else than they say they are. A promise only where there is something to wait for. */
  identify(credentials: Credentials, signal: AbortSignal): User | undefined | Promise<User | undefined>
  /** Whose token it is and for which of the audiences; by default, the names of this API. */
  review(
    token: string,
    signal: AbortSignal,
    audiences?: readonly string[],
  ): TokenVerdict | Promise<TokenVerdict>
}

/**
 * By certificate, by token, or nobody in particular. A credential that is given must be right, also where none is
 * needed: whoever sends a wrong one means to be somebody.
 */
export function createAuthenticator(lookup: TokenLookup, accounts: ServiceAccountTokens): Authenticator {
  const { apiAudiences } = accounts.options
  const review: Authenticator['review'] = (token, signal, audiences = apiAudiences) => {
    const user = lookup(token)
    if (!user) return accounts.authenticate(token, signal, audiences)
    // Tokens of the file know of no audience, so they are for this API and nobody else.
    const isForApi = audiences === apiAudiences
    const meant = isForApi ? apiAudiences : apiAudiences.filter((each) => audiences.includes(each))
    return meant.length === 0 ? 'foreign' : { user: asAuthenticated(user), audiences: meant }
  }
  return {
    review,
    identify: ({ headers, peer }, signal) => {
      if (peer?.isTrusted && peer.commonName !== '') return userOfCertificate(peer)
      const presented = bearerToken(headers['authorization'])
      if (presented === 'none') return peer ? undefined : anonymous
      if (presented === 'malformed') return undefined
      const verdict = review(presented.token, signal)
      return verdict instanceof Promise ? verdict.then(userOfVerdict) : userOfVerdict(verdict)
    },
  }
}

function userOfVerdict(verdict: TokenVerdict): User | undefined {
  return verdict !== 'foreign' && 'user' in verdict ? verdict.user : undefined
}

function userOfCertificate(peer: NonNullable<Credentials['peer']>): User {
  const { commonName, organizations, fingerprint } = peer
  return asAuthenticated({
    name: commonName,
    groups: organizations,
    ...(fingerprint === undefined ? {} : { extra: { [credentialId]: [`X509SHA256=${fingerprint}`] } }),
  })
}
