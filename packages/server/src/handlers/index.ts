export { negotiateMedia } from './forms.ts'
export type { HealthCheck } from './health.ts'
export { metricsPath } from './metrics.ts'
export { otherPaths } from './paths.ts'
export type {
  Handler,
  PeerCertificate,
  RequestContext,
  RequestInfo,
  ResourceTarget,
  ServerRequest,
  User,
} from './request-context.ts'
export { respondJson, respondText } from './respond.ts'
export { routeResources } from './routes.ts'
