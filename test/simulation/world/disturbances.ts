import type { SimProcess, Simulation } from '@strata/world/sim'
import { count } from '../coverage.ts'
import type { Disturbance, History } from '../history.ts'

/** Freezes and cuts, noted with their times, so that checkers know whom they may expect something of. */
export class Disturbances {
  readonly #simulation: Simulation
  readonly #history: History
  readonly #cutOff = new Map<string, Disturbance>()
  readonly #frozen = new Map<SimProcess, Disturbance>()
  #storm: Disturbance | undefined

  constructor(simulation: Simulation, history: History) {
    this.#simulation = simulation
    this.#history = history
  }

  isCutOff(writer: string): boolean {
    return this.#cutOff.has(writer)
  }

  freeze(process: SimProcess): void {
    if (process.crashed || process.frozen) return
    count(this.#history.counts, 'fault: freeze')
    process.freeze()
    this.#frozen.set(process, this.#begin(process.id))
  }

  thaw(process: SimProcess): void {
    const frozen = this.#frozen.get(process)
    if (!frozen) return
    this.#end(frozen)
    this.#frozen.delete(process)
    process.thaw()
  }

  /** From the store: the process runs, and its clients reach it. */
  cutOff({ id }: SimProcess): void {
    if (this.#cutOff.has(id)) return
    this.#simulation.trace('cut off from the store', { process: id })
    count(this.#history.counts, 'fault: cut off from the store')
    this.#cutOff.set(id, this.#begin(id))
  }

  reconnect({ id }: SimProcess): void {
    const cut = this.#cutOff.get(id)
    if (!cut) return
    this.#simulation.trace('reconnected to the store', { process: id })
    this.#end(cut)
    this.#cutOff.delete(id)
  }

  beginStorm(): void {
    count(this.#history.counts, 'fault: storm')
    this.#storm ??= this.#begin('*')
  }

  endStorm(): void {
    if (this.#storm) this.#end(this.#storm)
    this.#storm = undefined
  }

  endAll(processes: readonly SimProcess[]): void {
    for (const process of processes) {
      this.thaw(process)
      this.reconnect(process)
    }
    this.endStorm()
  }

  #begin(writer: string): Disturbance {
    const disturbance = { writer, fromMs: this.#simulation.nowMs, toMs: Number.POSITIVE_INFINITY }
    this.#history.disturbances.push(disturbance)
    return disturbance
  }

  #end(disturbance: Disturbance): void {
    disturbance.toMs = this.#simulation.nowMs
  }
}
