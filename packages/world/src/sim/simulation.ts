import type { Cancel, Clock } from '../clock.ts'
import { invariant } from '../invariant.ts'
import type { LogFields } from '../log.ts'
import { createSimRandom, type SimRandom } from './prng.ts'
import { ProcessTable } from './process-table.ts'
import { NO_PROCESS, type RunEnd, type RunOptions, Scheduler } from './scheduler.ts'
import { createTrueClock } from './sim-clock.ts'
import { SimProcess } from './sim-process.ts'
import { Trace, type TraceOptions } from './trace.ts'

export interface ProcessOptions {
  /** The machine it runs on. Only processes of one machine can prove each other's end. */
  readonly host?: string
  /** `isGone` answers no for this process, whatever happened: as on a system without /proc. */
  readonly cannotTell?: boolean
}

const WALL_START_MS = Date.UTC(2026, 0, 1)

/** A whole world in one process. The seed decides the order of events, which is the same in every run. */
export class Simulation {
  readonly seed: string
  /** For the plan of the simulation itself: which faults, when. */
  readonly random: SimRandom
  /** True time, which no process sees. */
  readonly clock: Clock
  readonly #root: SimRandom
  readonly #trace: Trace
  readonly #scheduler: Scheduler
  readonly #table = new ProcessTable()

  constructor(seed: number | string, traceOptions?: TraceOptions) {
    this.seed = String(seed)
    this.#root = createSimRandom(this.seed)
    this.random = this.#root.fork('plan')
    this.#trace = new Trace(traceOptions)
    this.#scheduler = new Scheduler(this.#root.fork('ties'), this.#trace)
    this.clock = createTrueClock(this.#scheduler, WALL_START_MS)
  }

  /** True milliseconds since the start. */
  get nowMs(): number {
    return this.#scheduler.nowMs
  }

  /** Starts a process. The same name again is a restart: a new run with its own id, mark and random numbers. */
  process(name: string, { host = 'host', cannotTell = false }: ProcessOptions = {}): SimProcess {
    const { run, processes, register } = this.#table.next(name, host, cannotTell)
    const process = new SimProcess({
      name,
      id: run === 1 ? name : `${name}#${run}`,
      scheduler: this.#scheduler,
      trace: this.#trace,
      random: this.fork(`process ${name}`),
      processes,
      wallStartMs: WALL_START_MS + this.nowMs,
    })
    register(process)
    this.trace('start', { process: process.id, host })
    return process
  }

  /** Random numbers for one part of the simulated world, independent of all others. */
  fork(label: string): SimRandom {
    return this.#root.fork(label)
  }

  /** Schedules an event outside of any process. */
  schedule(delayMs: number, label: string, callback: () => void): Cancel {
    return this.#scheduler.schedule(delayMs, NO_PROCESS, label, callback)
  }

  run(options?: RunOptions): Promise<RunEnd> {
    return this.#scheduler.run(options)
  }

  /** Runs until the promise is settled, and settles like it; rejects if the simulation ends first. */
  async settle<T>(promise: Promise<T>, options: Omit<RunOptions, 'until'> = {}): Promise<T> {
    let settled = false
    const done = (): void => {
      settled = true
    }
    void promise.then(done, done)
    const end = await this.run({ ...options, until: () => settled })
    invariant(settled, `the simulation ended (${end}) at ${this.nowMs} ms before the promise was settled`)
    return promise
  }

  /** Adds a line to the trace, and so to its hash. */
  trace(label: string, fields?: LogFields): void {
    this.#trace.add(this.nowMs, NO_PROCESS, label, fields)
  }

  traceHash(): string {
    return this.#trace.hash()
  }

  /** The last lines, oldest first, for the report of a failure. */
  traceLines(): readonly string[] {
    return this.#trace.lines()
  }
}
