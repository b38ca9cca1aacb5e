import type { HttpHeaders } from '@strata/world'
import { bearerToken } from './bearer-token.ts'
import type { ServiceAccountTokens, TokenVerdict } from './service-account-tokens.ts'
import { anonymous, asAuthenticated, credentialId, type User } from './user.ts'

/** The user of a bearer token, or undefined. */
export type TokenLookup = (token: string) => User | undefined

/** The credentials of a request. */
export interface Credentials {
  readonly headers: HttpHeaders
  readonly peer?: {
    readonly isTrusted: boolean
    readonly commonName: string
    readonly organizations: readonly string[]
    readonly fingerprint?: string
  }
}

/** Identifies users. */
export interface Authenticator {
  /** Undefined if the credentials are wrong. A promise only if it has to wait. */
  identify(credentials: Credentials, signal: AbortSignal): User | undefined | Promise<User | undefined>
  /** The user of a token and its matching audiences; by default, the names of this API. */
  review(
    token: string,
    signal: AbortSignal,
    audiences?: readonly string[],
  ): TokenVerdict | Promise<TokenVerdict>
}

/** By certificate, else by token, else as anonymous. Wrong credentials do not count as none: the client meant to authenticate. */
export function createAuthenticator(lookup: TokenLookup, accounts: ServiceAccountTokens): Authenticator {
  const { apiAudiences } = accounts.options
  const review: Authenticator['review'] = (token, signal, audiences = apiAudiences) => {
    const user = lookup(token)
    if (!user) return accounts.authenticate(token, signal, audiences)
    // Tokens of the file have no audience, so they are for this API only.
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
