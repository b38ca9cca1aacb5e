import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** Runs tasks on all processors. Each run is alone in its thread, so that its order is its own. */
export class WorkerPool<Task, Report> {
  readonly #idle: Worker[] = []
  readonly #all: Worker[] = []
  readonly #waiting: ((worker: Worker) => void)[] = []

  constructor(program: URL, size = Math.max(1, availableParallelism())) {
    for (let each = 0; each < size; each++) {
      // A world makes much that is soon forgotten: in a small nursery half of it is copied before it dies.
      const worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 64 } })
      this.#all.push(worker)
      this.#idle.push(worker)
    }
  }

  async run(task: Task): Promise<Report> {
    const worker = this.#idle.pop() ?? (await new Promise<Worker>((resolve) => this.#waiting.push(resolve)))
    const answer = Promise.withResolvers<Report>()
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
