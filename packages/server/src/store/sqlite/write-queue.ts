import type { Worker } from 'node:worker_threads'
import { type Cancel, type Clock, invariant } from '@strata/world'
import { OutcomeUnknown, StoreUnavailable, type WriteFault } from '../errors.ts'
import type { Commit, CommitOutcome, Revision } from '../store.ts'
import { cell, commitsPerGroup, packCommits, type Reply, type Request, unpackOutcomes } from './protocol.ts'

/** The bytes of values in a group after which the next commit waits for the next group. */
const bytesPerGroup = 4 << 20
/** How many commits may wait. More would only delay each other. */
const longestQueue = 20_000

export interface CompactionStep {
  readonly done: boolean
  readonly newest: Revision
}

type Task =
  | { readonly kind: 'commit'; readonly commit: Commit; resolve(outcome: CommitOutcome): void }
  | { readonly kind: 'compact'; readonly revision: Revision; resolve(step: CompactionStep): void }

/** A caller that waits for the writer. */
interface Waiting {
  readonly task: Task
  readonly dueMs: number
  readonly signal: AbortSignal
  readonly onAbort: () => void
  readonly reject: (error: Error) => void
  settled: boolean
}

export interface WriteQueueOptions {
  readonly writer: Pick<Worker, 'postMessage'>
  readonly cells: Int32Array
  readonly clock: Clock
  /** How long a call waits if the caller sets no earlier deadline. */
  readonly timeoutMs: number
  /** Called when the revision has moved. */
  readonly onMove: (revision: Revision) => void
}

/**
 * Collects commits while the writer is busy and passes them on as one group: one transaction, one sync of the disk for all of
 * them. The deadlines of the callers are kept on this side of the thread.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  #queue: Waiting[] = []
  #flight: readonly Waiting[] = []
  #idle: boolean = true
  #scheduled: boolean = false
  #alarm: Cancel | undefined
  #ended: { readonly why: string; readonly fault: WriteFault | undefined } | undefined

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  commit(commit: Commit, signal: AbortSignal): Promise<CommitOutcome> {
    return new Promise((resolve, reject) => this.#submit({ kind: 'commit', commit, resolve }, reject, signal))
  }

  /** Runs one step. */
  compact(revision: Revision, signal: AbortSignal): Promise<CompactionStep> {
    return new Promise((resolve, reject) =>
      this.#submit({ kind: 'compact', revision, resolve }, reject, signal),
    )
  }

  /** Handles an answer of the writer. */
  take(reply: Reply): void {
    const flight = this.#flight
    this.#flight = []
    this.#idle = true
    this.#settle(flight, reply)
    this.#schedule()
  }

  /** Begins nothing more. Commits that were begun are answered, unless the writer is gone. */
  end(why: string, writerGone: boolean, fault?: WriteFault): void {
    this.#ended ??= { why, fault }
    this.#alarm?.()
    for (const waiting of this.#queue) this.#fail(waiting, new StoreUnavailable(why, { fault }))
    this.#queue = []
    for (const [index, waiting] of this.#flight.entries()) {
      if (this.#withdraw(index)) this.#fail(waiting, new StoreUnavailable(why))
      else if (writerGone) this.#fail(waiting, new OutcomeUnknown(why))
    }
  }

  #submit(task: Task, reject: (error: Error) => void, signal: AbortSignal): void {
    const refusal = this.#refusal(signal)
    if (refusal) {
      reject(refusal)
      return
    }
    const onAbort = (): void => this.#giveUp(waiting, 'given up by the caller', signal.reason)
    const dueMs = this.#options.clock.monotonicMs() + this.#options.timeoutMs
    const waiting: Waiting = { task, dueMs, signal, onAbort, reject, settled: false }
    signal.addEventListener('abort', onAbort)
    this.#queue.push(waiting)
    this.#schedule()
    this.#arm()
  }

  #refusal(signal: AbortSignal): StoreUnavailable | undefined {
    if (this.#ended !== undefined) return new StoreUnavailable(this.#ended.why, { fault: this.#ended.fault })
    if (signal.aborted) return new StoreUnavailable('given up before it began', { cause: signal.reason })
    if (this.#queue.length >= longestQueue) return new StoreUnavailable('too many commits are waiting')
    return undefined
  }

  /** Later in this turn, so that all callers that one answer has woken form one group again. */
  #schedule(): void {
    if (this.#scheduled || !this.#idle || this.#queue.length === 0) return
    this.#scheduled = true
    this.#options.clock.soon(() => {
      this.#scheduled = false
      if (this.#idle) this.#send()
    })
  }

  #send(): void {
    const flight = this.#nextGroup()
    const [first] = flight
    if (first === undefined) return
    this.#flight = flight
    this.#idle = false
    const { cells, writer } = this.#options
    cells.fill(cell.waiting, 0, flight.length)
    if (first.task.kind === 'compact') {
      writer.postMessage({ kind: 'compact', revision: first.task.revision } satisfies Request)
    } else {
      const request = packCommits(commitsOf(flight))
      writer.postMessage(request, [request.bytes.buffer as ArrayBuffer])
    }
  }

  /** Either one step of compaction, or all commits up to the limits of a group. */
  #nextGroup(): Waiting[] {
    this.#queue = this.#queue.filter(({ settled }) => !settled)
    let bytes = 0
    let count = 0
    for (const { task } of this.#queue) {
      if (count === commitsPerGroup || bytes >= bytesPerGroup) break
      if (task.kind === 'compact') {
        if (count === 0) count = 1
        break
      }
      for (const write of task.commit.writes) bytes += write.kind === 'put' ? write.value.byteLength : 0
      count++
    }
    return this.#queue.splice(0, count)
  }

  #settle(flight: readonly Waiting[], reply: Reply): void {
    switch (reply.kind) {
      case 'commits': {
        if (reply.moved > 0) this.#options.onMove(reply.moved)
        const outcomes = unpackOutcomes(commitsOf(flight), reply)
        for (const [index, waiting] of flight.entries()) {
          const outcome = outcomes[index]
          if (outcome && waiting.task.kind === 'commit' && this.#release(waiting))
            waiting.task.resolve(outcome)
        }
        return
      }
      case 'compacted':
        for (const waiting of flight) {
          if (waiting.task.kind === 'compact' && this.#release(waiting)) waiting.task.resolve(reply)
        }
        return
      case 'failed': {
        const kind = reply.unknown ? OutcomeUnknown : StoreUnavailable
        const { message, fault } = reply
        for (const waiting of flight) this.#fail(waiting, new kind(message, { fault }))
        return
      }
      case 'withdrawn':
        return
      default:
        invariant(false, `the writer said ${reply.kind} to a group`)
    }
  }

  #fail(waiting: Waiting, error: Error): void {
    if (this.#release(waiting)) waiting.reject(error)
  }

  #release(waiting: Waiting): boolean {
    if (waiting.settled) return false
    waiting.settled = true
    waiting.signal.removeEventListener('abort', waiting.onAbort)
    return true
  }

  #giveUp(waiting: Waiting, why: string, cause?: unknown): void {
    const index = this.#flight.indexOf(waiting)
    const nothingWritten = index < 0 || this.#withdraw(index)
    const kind = nothingWritten ? StoreUnavailable : OutcomeUnknown
    this.#fail(waiting, new kind(why, { cause }))
  }

  /** True if the writer had not begun it, and now never will. */
  #withdraw(index: number): boolean {
    return Atomics.compareExchange(this.#options.cells, index, cell.waiting, cell.withdrawn) !== cell.begun
  }

  /** One timer for all: every caller waits equally long, so the oldest is always due first. */
  #arm(): void {
    if (this.#alarm) return
    const oldest = this.#flight.find(({ settled }) => !settled) ?? this.#queue.find(({ settled }) => !settled)
    if (oldest === undefined) return
    const { clock, timeoutMs } = this.#options
    this.#alarm = clock.after(Math.max(0, oldest.dueMs - clock.monotonicMs()), () => {
      this.#alarm = undefined
      const nowMs = clock.monotonicMs()
      for (const waiting of [...this.#flight, ...this.#queue]) {
        if (waiting.dueMs <= nowMs) this.#giveUp(waiting, `the store did not answer within ${timeoutMs} ms`)
      }
      this.#arm()
    })
  }
}

function commitsOf(flight: readonly Waiting[]): Commit[] {
  return flight.map(({ task }) => {
    invariant(task.kind === 'commit', 'a group is made of commits')
    return task.commit
  })
}
