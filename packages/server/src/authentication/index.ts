export { type Authenticator, createAuthenticator, type TokenLookup } from './authenticator.ts'
export { createAccountTokens } from './create-account-tokens.ts'
export { openidDocuments } from './openid.ts'
export { defaultIssuer, ownTokens } from './own-tokens.ts'
export { type ServiceAccountTokenOptions, ServiceAccountTokens } from './service-account-tokens.ts'
export {
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
  UnusableKey,
  type VerificationKey,
} from './signing-key.ts'
export { anonymous, type User } from './user.ts'
