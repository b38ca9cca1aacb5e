import type { Cancel } from '../clock.ts'
import { invariant } from '../invariant.ts'
import { EventQueue, type SimEvent } from './event-queue.ts'
import type { SimRandom } from './prng.ts'
import type { Trace } from './trace.ts'

export interface RunOptions {
  /** Simulated milliseconds since the start of the simulation, not since this call. */
  readonly untilMs?: number
  /** Asked before every event, when all that the last one set off has come to rest. */
  readonly until?: () => boolean
  readonly maxEvents?: number
}

/** Why a run came back: nothing left to do, the time, the condition, or the number of events. */
export type RunEnd = 'idle' | 'time' | 'condition' | 'events'

/** Owner of what is in flight outside of any process. */
export const NOBODY = '-'

/**
 * The one real thing in the simulation. All microtasks run before it comes back, so one event and
 * everything it sets off is finished before the next begins.
 */
const microtasksDrained = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** One queue for the whole simulated world: everything happens in one order, and the seed gives it. */
export class Scheduler {
  readonly #queue = new EventQueue()
  readonly #ties: SimRandom
  readonly #trace: Trace
  #nowMs = 0
  #round = 0
  #sequence = 0
  #running: boolean = false

  constructor(ties: SimRandom, trace: Trace) {
    this.#ties = ties
    this.#trace = trace
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** After `delayMs` of simulated time; among what happens at the same moment, in any order. */
  schedule(delayMs: number, owner: string, label: string, run: () => void): Cancel {
    invariant(!Number.isNaN(delayMs), 'a delay must be a number')
    const atMs = this.#nowMs + Math.max(0, delayMs)
    return this.#push(atMs, atMs === this.#nowMs ? this.#round : 0, owner, label, run)
  }

  /** Now, but after everything that is already due now. */
  soon(owner: string, label: string, run: () => void): Cancel {
    return this.#push(this.#nowMs, this.#round + 1, owner, label, run)
  }

  async run({
    untilMs = Number.POSITIVE_INFINITY,
    until,
    maxEvents = 10_000_000,
  }: RunOptions = {}): Promise<RunEnd> {
    invariant(!this.#running, 'the simulation is already running')
    this.#running = true
    try {
      // The caller may have just started something that has not reached its first wait.
      await microtasksDrained()
      for (let events = 0; ; events++) {
        if (until?.()) return 'condition'
        const next = this.#queue.peek()
        if (!next || next.atMs > untilMs) {
          if (Number.isFinite(untilMs)) this.#advance(Math.max(this.#nowMs, untilMs), 0)
          return next ? 'time' : 'idle'
        }
        if (events >= maxEvents) return 'events'
        this.#queue.pop()
        this.#execute(next)
        await microtasksDrained()
      }
    } finally {
      this.#running = false
    }
  }

  #execute(event: SimEvent): void {
    const { run } = event
    // A cancel that comes while the event runs must find nothing to do.
    event.run = undefined
    this.#advance(event.atMs, event.round)
    this.#trace.add(event.atMs, event.owner, event.label)
    run?.()
  }

  #advance(nowMs: number, round: number): void {
    this.#nowMs = nowMs
    this.#round = round
  }

  #push(atMs: number, round: number, owner: string, label: string, run: () => void): Cancel {
    // Infinitely far away: nothing to wait for, and it would keep the simulation from being idle.
    if (atMs === Number.POSITIVE_INFINITY) return () => {}
    const event: SimEvent = {
      atMs,
      round,
      tie: this.#ties.uint32(),
      sequence: this.#sequence++,
      owner,
      label,
      run,
    }
    this.#queue.push(event)
    return () => this.#queue.cancel(event)
  }
}
