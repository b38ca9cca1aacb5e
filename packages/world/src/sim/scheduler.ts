import type { Cancel } from '../clock.ts'
import { invariant } from '../invariant.ts'
import { EventQueue, type SimEvent } from './event-queue.ts'
import type { SimRandom } from './prng.ts'
import type { Trace } from './trace.ts'

export interface RunOptions {
  /** Simulated milliseconds since the start of the simulation, not since this call. */
  readonly untilMs?: number
  /** Evaluated before every event, after all effects of the last one have settled. */
  readonly until?: () => boolean
  readonly maxEvents?: number
}

/** Why a run ended: no event was left, the time, the condition, or the number of events. */
export type RunEnd = 'idle' | 'time' | 'condition' | 'events'

/** The owner of events that belong to no process. */
export const NO_PROCESS = '-'

/** How many events a turn of the real event loop carries: a turn costs as much as a small event does. */
const eventsPerTurn = 64

/**
 * Runs on the real event loop. Node drains all microtasks between two immediates of one turn, so one event and
 * all its effects are finished before the next begins. `step` is called until it says that it is done.
 */
function stepThrough(step: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isDone = false
  const next = (): void => {
    if (isDone) return
    try {
      isDone = step()
      if (isDone) resolve()
    } catch (error) {
      isDone = true
      reject(error)
    }
  }
  const turn = (): void => {
    for (let each = 0; each < eventsPerTurn; each++) setImmediate(next)
    setImmediate(() => {
      if (!isDone) turn()
    })
  }
  turn()
  return promise
}

/** One queue for the whole simulated world: all events have one order, which the seed decides. */
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
    let end: RunEnd | undefined
    let events = 0
    const step = (): boolean => {
      const next = this.#queue.peek()
      if (until?.()) end = 'condition'
      else if (!next || next.atMs > untilMs) {
        if (Number.isFinite(untilMs)) this.#advance(Math.max(this.#nowMs, untilMs), 0)
        end = next ? 'time' : 'idle'
      } else if (events >= maxEvents) end = 'events'
      else {
        events++
        this.#queue.pop()
        this.#execute(next)
      }
      return end !== undefined
    }
    try {
      // The first step, too, waits: the caller may have just started something that has not reached its first wait.
      await stepThrough(step)
    } finally {
      this.#running = false
    }
    invariant(end, 'a run ends for a reason')
    return end
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
    // A timer that never fires is not queued: it would keep the simulation from being idle.
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
