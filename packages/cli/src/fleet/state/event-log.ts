import type { Clock } from '@strata/world'
import type { FleetEvent, NewFleetEvent } from './fleet-events.ts'

/** Enough for hours of clicking. The oldest are forgotten first. */
const mostEvents = 1_000

/** What has happened to the fleet, the latest events only. */
export class EventLog {
  readonly #clock: Clock
  readonly #most: number
  #events: readonly FleetEvent[] = []
  #number = 0

  constructor(clock: Clock, most: number = mostEvents) {
    this.#clock = clock
    this.#most = most
  }

  add(events: readonly NewFleetEvent[]): void {
    if (events.length === 0) return
    const time = new Date(this.#clock.wallMs()).toISOString()
    const numbered = events.map((each) => ({ number: ++this.#number, time, ...each }))
    this.#events = [...this.#events, ...numbered].slice(-this.#most)
  }

  /** Those that came after the one with this number. */
  after(number: number): readonly FleetEvent[] {
    return this.#events.filter((each) => each.number > number)
  }
}
