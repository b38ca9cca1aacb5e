export { decodeObject } from './decode-object.ts'
export { FairQueue } from './fair-queue.ts'
export { negotiateMedia } from './forms.ts'
export { type HealthCheck, isHealthPath } from './health.ts'
export { LargeBodies } from './large-bodies.ts'
export { metricsPath } from './metrics.ts'
export { otherPaths } from './paths.ts'
export type {
  Handler,
  PeerCertificate,
  RequestContext,
  RequestInfo,
  ResourceTarget,
  ServerRequest,
} from './request-context.ts'
export { respondJson, respondText } from './respond.ts'
export type { Reviewer, Reviewers } from './review.ts'
export {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from './reviews/access-review.ts'
export { selfSubjectRulesReview } from './reviews/rules-review.ts'
export { selfSubjectReview } from './reviews/self-subject-review.ts'
export { storageCensus } from './reviews/storage-census.ts'
export { storageReencode } from './reviews/storage-reencode.ts'
export { type ReviewToken, tokenReview } from './reviews/token-review.ts'
export { upgradeReview } from './reviews/upgrade-review.ts'
export { routeResources, servedVerbs } from './routes.ts'
export { YamlReader } from './yaml-reader.ts'
