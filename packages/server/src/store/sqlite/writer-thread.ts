import type { Worker } from 'node:worker_threads'
import { type Clock, invariant, type Log } from '@strata/world'
import { StoreUnavailable } from '../errors.ts'
import type { Revision } from '../store.ts'
import type { ConnectOptions } from './connect-writer.ts'
import { openErrors } from './open-problem.ts'
import { commitsPerGroup, type Reply, type Request } from './protocol.ts'
import { type StartWriter, startWriter } from './start-writer.ts'
import { WriteQueue } from './write-queue.ts'

export interface WriterThreadOptions extends Omit<ConnectOptions, 'open'> {
  /** Starts the thread; for tests of files that fail. */
  readonly startWriter?: StartWriter | undefined
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
  readonly onMove: (revision: Revision) => void
  /** Called when the thread has ended unexpectedly. */
  readonly onLost: (why: string) => void
}

/**
 * How long opening may take: a thread has to start, and after a crash the whole log is read. The limit is for the case that
 * another process is frozen while it creates the file.
 */
const openTimeoutMs = 30_000

/** The caller's side of the writing thread: its start, its end, and the queue in front of it. */
export class WriterThread {
  readonly queue: WriteQueue
  /** The id of the store; undefined if it has none. */
  readonly store: number | undefined
  /** Its mark was removed: it was restored from a backup. */
  readonly isRestored: boolean
  readonly #worker: Worker
  readonly #log: Log
  readonly #ended = Promise.withResolvers<void>()
  #closing: boolean = false

  private constructor(
    worker: Worker,
    { store, isRestored }: Extract<Reply, { kind: 'ready' }>,
    cells: Int32Array,
    options: WriterThreadOptions,
  ) {
    this.store = store
    this.isRestored = isRestored
    const { clock, timeoutMs, onMove, onLost } = options
    this.#worker = worker
    this.#log = options.log
    this.queue = new WriteQueue({ writer: worker, cells, clock, timeoutMs, onMove })
    let why = 'the writing thread has ended'
    worker.on('message', (reply: Reply) => this.#take(reply))
    worker.on('error', (error) => {
      why = `the writing thread has failed: ${error}`
    })
    worker.on('exit', () => {
      this.#ended.resolve()
      if (this.#closing) return
      this.queue.end(why, true)
      onLost(why)
    })
  }

  /** Resolves when the file is open and ready to be written. */
  static async open(options: WriterThreadOptions): Promise<WriterThread> {
    const { path, maxBytes, markPath, newStoreId, at, clock } = options
    const cells = new Int32Array(new SharedArrayBuffer(4 * commitsPerGroup))
    const start = options.startWriter ?? startWriter
    const worker = start({ path, maxBytes, markPath, newStoreId, at, cells })
    const opened = Promise.withResolvers<Reply>()
    worker.once('message', opened.resolve)
    worker.once('error', opened.reject)
    const cancel = clock.after(openTimeoutMs, () =>
      opened.reject(new StoreUnavailable(`${path} could not be opened within ${openTimeoutMs} ms`)),
    )
    try {
      const reply = await opened.promise
      if (reply.kind === 'refused to open') {
        const kind = openErrors[reply.why]
        throw new kind(`cannot use ${path} as a store: ${reply.message}`)
      }
      invariant(reply.kind === 'ready', `the writer began with ${reply.kind}`)
      return new WriterThread(worker, reply, cells, options)
    } catch (error) {
      await worker.terminate()
      throw error
    } finally {
      cancel()
    }
  }

  /** Begins nothing more, waits for begun commits, and closes the file. */
  async close(why: string): Promise<void> {
    this.#closing = true
    this.queue.end(why, false)
    this.#worker.postMessage({ kind: 'close' } satisfies Request)
    await this.#ended.promise
  }

  #take(reply: Reply): void {
    if (reply.kind === 'closed') return
    if (reply.kind === 'warning') this.#log.warn(reply.message)
    else this.queue.take(reply)
  }
}
