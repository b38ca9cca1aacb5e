import type { Cancel, Clock } from '../clock.ts'
import { createLog, type Log } from '../log.ts'
import type { Processes } from '../processes.ts'
import type { World } from '../world.ts'
import type { SimRandom } from './prng.ts'
import { createProcessClock } from './process-clock.ts'
import type { Scheduler } from './scheduler.ts'
import { SkewedTime } from './skewed-time.ts'
import type { Trace } from './trace.ts'
import { type Job, Turnstile } from './turnstile.ts'

export interface SimProcessParts {
  readonly name: string
  readonly id: string
  readonly scheduler: Scheduler
  readonly trace: Trace
  readonly random: SimRandom
  readonly processes: Processes
  readonly wallStartMs: number
}

/**
 * One run of one simulated process: its world, and its faults (freeze, crash, clock skew).
 *
 * Whatever reaches a process from outside must come through its clock, `deliver` or `receive`. A promise
 * that is resolved past them would let a frozen or dead process go on.
 */
export class SimProcess implements World {
  /** The name in the network and in traces; a restarted process keeps it. */
  readonly name: string
  /** Names this run alone. */
  readonly id: string
  readonly clock: Clock
  readonly random: SimRandom
  readonly log: Log
  readonly processes: Processes
  readonly #scheduler: Scheduler
  readonly #trace: Trace
  readonly #time: SkewedTime
  readonly #turnstile: Turnstile
  readonly #end = new AbortController()
  readonly #onCrash = new Set<() => void>()

  constructor({ name, id, scheduler, trace, random, processes, wallStartMs }: SimProcessParts) {
    this.name = name
    this.id = id
    this.random = random
    this.processes = processes
    this.#scheduler = scheduler
    this.#trace = trace
    const originMs = Math.floor(random.fork('clock').fraction() * 1e7)
    this.#time = new SkewedTime(() => scheduler.nowMs, wallStartMs, originMs)
    this.#turnstile = new Turnstile((label, next) => scheduler.schedule(0, id, `held ${label}`, next))
    this.clock = createProcessClock(id, scheduler, this.#time, this.#turnstile)
    this.log = createLog((level, message, fields) => this.#note(`${level} ${message}`, fields))
  }

  get crashed(): boolean {
    return this.#turnstile.state === 'closed'
  }

  get frozen(): boolean {
    return this.#turnstile.state === 'frozen'
  }

  /** Aborted at the crash. For code that observes the process, never for its own: a crashed process runs nothing. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Runs `callback` in this process after `delayMs` of true time; held while frozen, dropped when dead. */
  deliver(delayMs: number, label: string, callback: () => void): Cancel {
    const job: Job = { label, run: callback }
    const unschedule = this.#scheduler.schedule(delayMs, this.id, label, () => this.#turnstile.enter(job))
    return () => {
      job.run = undefined
      unschedule()
    }
  }

  /** The same without an event of its own, from inside an event that belongs to no process. Keeps order. */
  receive(label: string, callback: () => void): void {
    this.#turnstile.enter({ label, run: callback })
  }

  /** SIGSTOP. Due callbacks are held, and the clocks go on. */
  freeze(): void {
    this.#note('freeze')
    this.#turnstile.freeze()
  }

  /** SIGCONT. Held callbacks run in their order of arrival. */
  thaw(): void {
    this.#note('thaw')
    this.#turnstile.thaw()
  }

  /** kill -9, also used when a process has finished: none of its code ever runs again. */
  crash(): void {
    if (this.crashed) return
    this.#note('crash')
    this.#turnstile.close()
    for (const callback of [...this.#onCrash]) callback()
    this.#onCrash.clear()
    this.#end.abort(new Error(`${this.id} crashed`))
  }

  /** For the parts of the simulated world that must know, such as the network. */
  onCrash(callback: () => void): Cancel {
    this.#onCrash.add(callback)
    return () => this.#onCrash.delete(callback)
  }

  /** 1.01: both clocks of this process gain one second in a hundred from now on. */
  setDrift(rate: number): void {
    this.#note('drift', { rate })
    this.#time.setDrift(rate)
  }

  /** Moves the wall clock, forward or back. The monotonic clock does not notice. */
  jumpWall(byMs: number): void {
    this.#note('wall clock jumps', { byMs })
    this.#time.jumpWall(byMs)
  }

  #note(label: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#trace.add(this.#scheduler.nowMs, this.id, label, fields)
  }
}
