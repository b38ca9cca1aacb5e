import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Chunk, ChunkReport } from './run-chunk.ts'

type Reply = { readonly report: ChunkReport } | { readonly problem: string }

/** Long enough that no busy machine explains it, for inputs that take a millisecond. */
const defaultHangMs = 30_000
const lookEveryMs = 500

interface Thread {
  readonly worker: Worker
  readonly watched: Int32Array
}

/** Runs chunks on all processors. An input that does not end is named, and its thread is ended. */
export class FuzzPool {
  readonly #hangMs: number
  readonly #targetsModule: string | undefined
  readonly #idle: Thread[] = []
  readonly #waiting: ((thread: Thread) => void)[] = []
  readonly #all = new Set<Thread>()

  constructor(
    options: { readonly size?: number; readonly hangMs?: number; readonly targetsModule?: string } = {},
  ) {
    this.#hangMs = options.hangMs ?? defaultHangMs
    this.#targetsModule = options.targetsModule
    for (let each = options.size ?? availableParallelism(); each > 0; each--) this.#idle.push(this.#start())
  }

  /** Undefined if, when its turn comes, there is no need for it any more. */
  async run(chunk: Chunk, isNeedless = (): boolean => false): Promise<ChunkReport | undefined> {
    const thread = this.#idle.pop() ?? (await new Promise<Thread>((resolve) => this.#waiting.push(resolve)))
    let next = thread
    try {
      return isNeedless() ? undefined : await this.#watch(thread, chunk)
    } catch (error) {
      next = await this.#replace(thread)
      const { kind, text } = error instanceof Hang ? error : ({ kind: 'crash', text: textOf(error) } as const)
      return this.#ended(chunk, Atomics.load(thread.watched, 0), kind, text)
    } finally {
      const waiting = this.#waiting.shift()
      if (waiting) waiting(next)
      else this.#idle.push(next)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(({ worker }) => worker.terminate()))
  }

  #start(): Thread {
    const shared = new SharedArrayBuffer(8)
    const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), {
      workerData: { watched: shared, targetsModule: this.#targetsModule },
    })
    const thread = { worker, watched: new Int32Array(shared) }
    this.#all.add(thread)
    return thread
  }

  async #replace(thread: Thread): Promise<Thread> {
    this.#all.delete(thread)
    await thread.worker.terminate()
    return this.#start()
  }

  async #watch({ worker, watched }: Thread, chunk: Chunk): Promise<ChunkReport> {
    const answer = Promise.withResolvers<Reply>()
    let begun = -1
    let sinceMs = performance.now()
    const watchdog = setInterval(() => {
      const now = Atomics.load(watched, 1)
      // Until the first input, the thread loads what is tried.
      if (now !== begun || now === 0) sinceMs = performance.now()
      begun = now
      if (performance.now() - sinceMs > this.#hangMs) answer.reject(new Hang(this.#hangMs))
    }, lookEveryMs)
    worker.once('message', answer.resolve)
    worker.once('error', answer.reject)
    try {
      worker.postMessage(chunk)
      const reply = await answer.promise
      if ('problem' in reply) throw new Error(reply.problem)
      return reply.report
    } finally {
      clearInterval(watchdog)
      worker.off('message', answer.resolve)
      worker.off('error', answer.reject)
    }
  }

  /** The thread is gone, and with it the input: its number makes it again. */
  #ended({ target, from }: Chunk, number: number, kind: 'hang' | 'crash', text: string): ChunkReport {
    const inputs = Math.max(1, number - from + 1)
    return {
      ...{ target, inputs, accepted: 0, refused: 0, slowest: { number, cpuMs: 0 } },
      finding: { kind, target, number, text, inputs: [] },
    }
  }
}

class Hang extends Error {
  readonly kind = 'hang'
  readonly text: string
  constructor(hangMs: number) {
    super()
    this.text = `did not end within ${hangMs / 1_000} seconds`
  }
}

const textOf = (error: unknown): string =>
  `the thread ended: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
