export { addressOf, type ObjectReference, type ResourceAddress, resourcePath } from './address.ts'
export { type Client, createClient } from './client.ts'
export type { ConnectionOptions } from './connection.ts'
export { type ApiResource, type DiscoveredResource, type Discovery, preferredResources } from './discovery.ts'
export {
  continueTokenOf,
  isAbsence,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isFormatUnsupported,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotAllowed,
  isNotFound,
  isNotFoundOrForbidden,
  isNotOffered,
  isRefused,
  isRequestFailure,
  isServerError,
  isSuccess,
  isTimeout,
  isTooLarge,
  isTooManyRequests,
  isTransient,
  isUnanswered,
  isUnauthorized,
  isUnavailable,
  MalformedAnswer,
  mayHaveActed,
  retryAfterMs,
} from './errors.ts'
export { createFailoverTransport, type FailoverTransport } from './failover-transport.ts'
export { createInformer, type Informer, type InformerOptions } from './informer.ts'
export { keepListening, untilSilent } from './keep-listening.ts'
export {
  type LeaderElectionOptions,
  type LeadershipEnd,
  LeadershipLost,
  leaderElectionDefaults,
  runAsLeader,
} from './leader-election.ts'
export { linesOf } from './lines-of.ts'
export { type ObjectChange, objectKey } from './object-store.ts'
export { createReachability } from './reachability.ts'
export type {
  DeleteOptions,
  ListOptions,
  MergePatch,
  PageOptions,
  Preconditions,
  Propagation,
  ResourceClient,
  WatchOptions,
  WriteOptions,
} from './resource-client.ts'
export { compareResourceVersions } from './resource-versions.ts'
export type { ServerVersion } from './server-version.ts'
export type { WatchEvent } from './watch-events.ts'
