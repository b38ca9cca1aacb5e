import type { Violation } from './checkers/index.ts'
import { WorkerPool } from './worker-pool.ts'

/** What has to be run, as it can be sent to another thread. */
export interface SeedTask {
  readonly seed: string
  readonly sabotage?: string | undefined
  readonly troubleMs?: number | undefined
}

export interface SeedReport extends SeedTask {
  readonly violations: readonly Violation[]
  readonly simulatedMs: number
  readonly operations: number
  readonly traceHash: string
}

export class SeedPool extends WorkerPool<SeedTask, SeedReport> {
  constructor(size?: number) {
    super(new URL('./seed-worker.ts', import.meta.url), size)
  }
}
