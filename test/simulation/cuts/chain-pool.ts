import { WorkerPool } from '../worker-pool.ts'
import type { ChainReport } from './run-chain.ts'

/** What has to be run, as it can be sent to another thread. */
export interface ChainTask {
  readonly chain: string
  readonly mostCuts?: number | undefined
  readonly sabotage?: string | undefined
}

export class ChainPool extends WorkerPool<ChainTask, ChainReport> {
  constructor(size?: number) {
    super(new URL('./chain-worker.ts', import.meta.url), size)
  }
}
