export { createAccessReviewAuthorizer } from './access-review-authorizer.ts'
export { Aggregator, type AggregatorOptions } from './aggregator.ts'
export {
  type ClientTrust,
  decideTrust,
  type ProxyTrust,
  readTrust,
  trustConfigMap,
  trustKeys,
  trustProblem,
} from './authentication-config.ts'
export { followTrust } from './follow-trust.ts'
export { createRemoteNamespaces, type NamespaceState, type NamespaceStates } from './remote-namespaces.ts'
export { createTokenReviewAuthenticator } from './token-review-authenticator.ts'
