import type { Metrics } from '../metrics/index.ts'
import type { PathHandler } from './paths.ts'

/** Needs authorization like every other path: metrics show what clients do. */
export function metricsPath(metrics: Metrics): PathHandler {
  return () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: Buffer.from(metrics.text()),
  })
}
