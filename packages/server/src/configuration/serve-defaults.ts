export { defaultFeatureGates, type FeatureGate } from './feature-gates.ts'

/**
 * The defaults of `ServeOptions`, which are those of the flags of `strata serve` and `strata up`. The command line reads
 * this file for every `--help`, so it loads nothing of the server.
 */
export const serveDefaults = {
  bindAddress: '127.0.0.1',
  securePort: 6443,
  authorizationMode: 'RBAC',
  maxRequestsInflight: 400,
  maxMutatingRequestsInflight: 200,
  expectedServers: 0,
  form: 'report',
  guarantee: 'strict',
  leaseDurationSeconds: 3600,
  renewIntervalSeconds: 10,
  shutdownDelayMs: 0,
  compactionMs: 300_000,
  eventTtlMs: 3_600_000,
  auditLogMaxage: 366,
  auditLogMaxbackup: 100,
  auditLogMaxsize: 100,
  serviceAccountIssuer: 'https://kubernetes.default.svc',
  serviceAccountMaxTokenExpirationMs: 0,
} as const
