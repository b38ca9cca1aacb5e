import type { Violation } from './checkers/index.ts'
import type { Counts } from './coverage.ts'
import { WorkerPool } from './worker-pool.ts'
import type { Shape } from './world/shape.ts'

/** What has to be run, as it can be sent to another thread. */
export interface SeedTask {
  readonly seed: string
  readonly sabotage?: string | undefined
  readonly troubleMs?: number | undefined
  /** Another fleet is behind this one, whatever the seed says. */
  readonly aggregated?: boolean | undefined
}

/** What of its shape is not left to the seed. */
export function fixedShape({ seed, troubleMs, aggregated }: SeedTask): Partial<Shape> {
  return {
    ...(troubleMs === undefined ? {} : { troubleMs }),
    ...(aggregated ? { aggregated: 1 + (Number(seed) % 3 || 0) } : {}),
  }
}

export interface SeedReport extends SeedTask {
  readonly violations: readonly Violation[]
  readonly simulatedMs: number
  readonly operations: number
  /** How often a server took over a file without a key that it had. */
  readonly keysDropped: number
  /** Where migration objects were written. */
  readonly migrationPrefixes: readonly string[]
  readonly traceHash: string
  /** What befell the world and what that reached. */
  readonly counts: Counts
}

export class SeedPool extends WorkerPool<SeedTask, SeedReport> {
  constructor(size?: number) {
    super(new URL('./seed-worker.ts', import.meta.url), size)
  }
}
