import { bearerToken } from './bearer-token.ts'
import type { HeaderSource } from './header-lines.ts'
import { isClientAnchor, type PeerAnchor } from './peer-anchor.ts'
import { RequestHeader } from './request-header.ts'
import type { TokenVerdict } from './service-account-tokens.ts'
import { anonymous, asAuthenticated, credentialId, type User } from './user.ts'

/** The user of a bearer token, or undefined. */
export type TokenLookup = (token: string) => User | undefined

/** Authenticates tokens that `TokenLookup` does not know. */
export interface TokenSource {
  readonly options: { readonly apiAudiences: readonly string[] }
  authenticate(
    token: string,
    signal: AbortSignal,
    audiences: readonly string[],
  ): TokenVerdict | Promise<TokenVerdict>
}

/** The credentials of a request. */
export interface Credentials extends HeaderSource {
  readonly peer?: {
    readonly anchor: PeerAnchor
    readonly commonName: string
    readonly organizations: readonly string[]
    readonly fingerprint?: string
  }
}

/** Identifies users. */
export interface Authenticator {
  /** Removes the headers by which a front proxy names users. */
  strip<T extends HeaderSource>(request: T): T
  /** Undefined if the credentials are wrong. A promise only if it has to wait. */
  identify(credentials: Credentials, signal: AbortSignal): User | undefined | Promise<User | undefined>
  /** The user of a token and its matching audiences; by default, the names of this API. */
  review(
    token: string,
    signal: AbortSignal,
    audiences?: readonly string[],
  ): TokenVerdict | Promise<TokenVerdict>
}

/**
 * By a front proxy, else by certificate, else by token, else as anonymous. Wrong credentials do not count as none: the client
 * meant to authenticate.
 */
export function createAuthenticator(
  lookup: TokenLookup,
  others: TokenSource,
  requestHeader: RequestHeader = new RequestHeader(),
): Authenticator {
  const { apiAudiences } = others.options
  const review: Authenticator['review'] = (token, signal, audiences = apiAudiences) => {
    const user = lookup(token)
    if (!user) return others.authenticate(token, signal, audiences)
    // Tokens of the file have no audience, so they are for this API only.
    const isForApi = audiences === apiAudiences
    const meant = isForApi ? apiAudiences : apiAudiences.filter((each) => audiences.includes(each))
    const isForOthers = !isForApi && meant.length === 0
    return isForOthers ? 'foreign' : { user: asAuthenticated(user), audiences: meant }
  }
  return {
    review,
    strip: (request) => requestHeader.strip(request),
    identify: (credentials, signal) => {
      const { headers, peer } = credentials
      if (peer) {
        const named = requestHeader.identify(credentials)
        if (named) return named
        if (isClientAnchor(peer.anchor) && peer.commonName !== '') return userOfCertificate(peer)
      }
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
