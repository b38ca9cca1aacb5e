export {
  type Authenticator,
  createAuthenticator,
  type TokenLookup,
  type TokenSource,
} from './authenticator.ts'
export { createAccountTokens } from './create-account-tokens.ts'
export { extraOf, type HeaderSource, headerLines } from './header-lines.ts'
export { openidDocuments } from './openid.ts'
export { defaultIssuer, ownTokens } from './own-tokens.ts'
export { isClientAnchor, type PeerAnchor } from './peer-anchor.ts'
export { RequestHeader, type RequestHeaderOptions, remoteHeaders } from './request-header.ts'
export {
  type ServiceAccountTokenOptions,
  ServiceAccountTokens,
  type TokenVerdict,
} from './service-account-tokens.ts'
export {
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
  UnusableKey,
  type VerificationKey,
} from './signing-key.ts'
export { anonymous, asAuthenticated, type User } from './user.ts'
