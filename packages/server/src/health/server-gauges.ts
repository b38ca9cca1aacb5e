import type { AuditOptions, InFlight } from '../filters/index.ts'
import type { HealthCheck } from '../handlers/index.ts'
import type { Metrics } from '../metrics/index.ts'
import type { WriteHealth } from './write-health.ts'

export function addServerMetrics(
  metrics: Metrics,
  parts: {
    readonly inFlight: InFlight
    readonly checks: readonly HealthCheck[]
    readonly writes: WriteHealth
    readonly recovery: { readonly count: number }
    /** Undefined without an audit policy. */
    readonly auditSink: AuditOptions['sink'] | undefined
  },
): void {
  const { inFlight, checks, writes, recovery, auditSink } = parts
  metrics.gauge('apiserver_current_inflight_requests', 'Requests in flight, without watches.', () => [
    [{ request_kind: 'mutating' }, inFlight.mutating],
    [{ request_kind: 'readOnly' }, inFlight.readOnly],
  ])
  metrics.gauge('kubernetes_healthcheck', 'Whether each health check passes: 1 or 0.', () =>
    checks.flatMap(({ name, endpoints, check }) =>
      endpoints.map((type) => [{ name, type }, check() === undefined ? 1 : 0] as const),
    ),
  )
  const replacements = 'How often the store was restored from a backup, or replaced, under this server.'
  metrics.counter('strata_store_replacements_total', replacements, () => [[{}, recovery.count]])
  metrics.gauge('strata_store_writes_blocked', '1 while the store cannot be written, by fault.', () =>
    writes.fault === undefined ? [] : [[{ fault: writes.fault }, 1]],
  )
  const failures = 'Commits that failed because of a fault of the store.'
  metrics.counter('strata_store_write_failures_total', failures, () =>
    [...writes.failures].map(([fault, count]) => [{ fault }, count] as const),
  )
  if (!auditSink) return
  metrics.counter('apiserver_audit_event_total', 'Audit events that were written.', () => [
    [{}, auditSink.written],
  ])
  metrics.counter('apiserver_audit_error_total', 'Audit events that were dropped.', () => [
    [{ plugin: 'log' }, auditSink.dropped],
  ])
}
