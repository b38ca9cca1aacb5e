import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Violation } from './checkers/index.ts'

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

/** Runs seeds on all processors. Each run is alone in its thread, so that its order is its own. */
export class SeedPool {
  readonly #idle: Worker[] = []
  readonly #all: Worker[] = []
  readonly #waiting: ((worker: Worker) => void)[] = []

  constructor(size = Math.max(1, availableParallelism())) {
    for (let each = 0; each < size; each++) {
      const worker = new Worker(new URL('./seed-worker.ts', import.meta.url))
      this.#all.push(worker)
      this.#idle.push(worker)
    }
  }

  async run(task: SeedTask): Promise<SeedReport> {
    const worker = this.#idle.pop() ?? (await new Promise<Worker>((resolve) => this.#waiting.push(resolve)))
    const answer = Promise.withResolvers<SeedReport>()
    worker.on('message', answer.resolve)
    worker.on('error', answer.reject)
    try {
      worker.postMessage(task)
      return await answer.promise
    } finally {
      worker.off('message', answer.resolve)
      worker.off('error', answer.reject)
      const next = this.#waiting.shift()
      if (next) next(worker)
      else this.#idle.push(worker)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()))
  }
}
