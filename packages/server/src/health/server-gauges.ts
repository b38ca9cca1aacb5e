import type { AuditOptions, InFlight } from '../filters/index.ts'
import type { HealthCheck } from '../handlers/index.ts'
import type { Metrics } from '../metrics/index.ts'
import type { WriteHealth } from './write-health.ts'

export function addAuditCounters(metrics: Metrics, sink: AuditOptions['sink']): void {
  metrics.counter('apiserver_audit_event_total', 'Audit events that were written.', () => [
    [{}, sink.written],
  ])
  metrics.counter('apiserver_audit_error_total', 'Audit events that were dropped.', () => [
    [{ plugin: 'log' }, sink.dropped],
  ])
}

export function addGauges(metrics: Metrics, inFlight: InFlight, checks: readonly HealthCheck[]): void {
  metrics.gauge('apiserver_current_inflight_requests', 'Requests in flight, without watches.', () => [
    [{ request_kind: 'mutating' }, inFlight.mutating],
    [{ request_kind: 'readOnly' }, inFlight.readOnly],
  ])
  metrics.gauge('kubernetes_healthcheck', 'Whether each health check passes: 1 or 0.', () =>
    checks.flatMap(({ name, endpoints, check }) =>
      endpoints.map((type) => [{ name, type }, check() === undefined ? 1 : 0] as const),
    ),
  )
}

export function addWriteMetrics(metrics: Metrics, writes: WriteHealth): void {
  metrics.gauge('strata_store_writes_blocked', '1 while the store cannot be written, by fault.', () =>
    writes.fault === undefined ? [] : [[{ fault: writes.fault }, 1]],
  )
  metrics.counter(
    'strata_store_write_failures_total',
    'Commits that failed because of a fault of the store.',
    () => [...writes.failures].map(([fault, count]) => [{ fault }, count] as const),
  )
}

export function addReplacementCounter(metrics: Metrics, recovery: { readonly count: number }): void {
  const help = 'How often the store was restored from a backup, or replaced, under this server.'
  metrics.counter('strata_store_replacements_total', help, () => [[{}, recovery.count]])
}
