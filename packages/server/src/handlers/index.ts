export { negotiateMedia } from './answer/forms.ts'
export { respondJson, respondText } from './answer/respond.ts'
export { decodeObject } from './body/decode-object.ts'
export { FairQueue } from './body/fair-queue.ts'
export { LargeBodies } from './body/large-bodies.ts'
export { YamlReader } from './body/yaml-reader.ts'
export { type HealthCheck, isHealthPath } from './health.ts'
export { metricsPath } from './metrics-endpoint.ts'
export { otherPaths } from './paths.ts'
export {
  type Handler,
  isClient,
  type PeerCertificate,
  type RequestContext,
  type RequestInfo,
  type ResourceTarget,
  type ServerRequest,
} from './request-context.ts'
export {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from './reviews/access-review.ts'
export type { Reviewers } from './reviews/review.ts'
export { selfSubjectRulesReview } from './reviews/rules-review.ts'
export { selfSubjectReview } from './reviews/self-subject-review.ts'
export { storageCensus } from './reviews/storage-census.ts'
export { storageReencode } from './reviews/storage-reencode.ts'
export { tokenReview } from './reviews/token-review.ts'
export { upgradeReview } from './reviews/upgrade-review.ts'
export { routeResources, servedVerbs } from './routes.ts'
