export { AgreementMetrics, type AgreementNumbers } from './agreement-metrics.ts'
export { Metrics } from './metrics.ts'
export type { MirrorMetrics } from './mirror-metrics.ts'
export type { RequestLabels, RequestMetrics } from './request-metrics.ts'
