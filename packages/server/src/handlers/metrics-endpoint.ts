import type { Metrics } from '../metrics/index.ts'
import type { PathHandler } from './paths.ts'

/** Guarded like every other path: what a server counts tells what its clients do. */
export function metricsPath(metrics: Metrics): PathHandler {
  return () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: Buffer.from(metrics.text()),
  })
}
