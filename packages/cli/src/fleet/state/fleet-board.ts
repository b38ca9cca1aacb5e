import { abortable, type Clock, timestamp } from '@strata/world'
import { EventLog } from './event-log.ts'
import { describeEvents, type FleetEvent, type NewFleetEvent } from './fleet-events.ts'
import type { FleetState, SceneView, ServerView } from './fleet-state.ts'

/** The state of the fleet and what has happened to it, which its parts change, and which any number of readers watch. */
export class FleetBoard {
  readonly #clock: Clock
  readonly #log: EventLog
  #state: FleetState
  #changed = Promise.withResolvers<void>()

  constructor(clock: Clock, initial: FleetState) {
    this.#clock = clock
    this.#log = new EventLog(clock)
    this.#state = initial
  }

  get state(): FleetState {
    return this.#state
  }

  change(parts: Partial<FleetState>): void {
    const before = this.#state
    this.#state = { ...before, ...parts }
    this.note(describeEvents(before, this.#state))
  }

  /** Adds what no state shows. */
  note(events: readonly NewFleetEvent[]): void {
    this.#log.add(events)
    const changed = this.#changed
    this.#changed = Promise.withResolvers<void>()
    changed.resolve()
  }

  server(name: string): ServerView {
    const server = this.#state.servers.find((each) => each.name === name)
    if (!server) throw new Error(`no server ${name}`)
    return server
  }

  /** A server that gets a state loses the message of the state before. */
  changeServer(name: string, change: Partial<Omit<ServerView, 'name' | 'since'>>): void {
    const servers = this.#state.servers.map((server): ServerView => {
      if (server.name !== name) return server
      if (change.state === undefined || change.state === server.state) return { ...server, ...change }
      const { message: _, ...rest } = server
      return { ...rest, ...change, since: timestamp(this.#clock) }
    })
    this.change({ servers })
  }

  /** The newest view of each scene. */
  changeScene(view: SceneView): void {
    const others = this.#state.scenes.filter(({ name }) => name !== view.name)
    this.change({ scenes: [...others, view] })
  }

  /** The present state, then each newer one. A slow reader misses those in between, and never the last one. */
  async *watch(signal: AbortSignal): AsyncGenerator<FleetState, void> {
    let sent: FleetState | undefined
    while (!signal.aborted) {
      if (sent !== this.#state) {
        sent = this.#state
        yield sent
      } else if (!(await this.#untilChanged(signal))) return
    }
  }

  /** What has happened after the event with this number, as far as it is remembered. */
  events(after = 0): readonly FleetEvent[] {
    return this.#log.after(after)
  }

  /** The same, then each event when it happens. */
  async *watchEvents(after: number, signal: AbortSignal): AsyncGenerator<FleetEvent, void> {
    let sent = after
    while (!signal.aborted) {
      const changed = this.#untilChanged(signal)
      const events = this.events(sent)
      yield* events
      sent = events.at(-1)?.number ?? sent
      if (events.length === 0 && !(await changed)) return
    }
  }

  /** The first state that fulfils the condition. Throws the reason of the signal. */
  async until(condition: (state: FleetState) => boolean, signal: AbortSignal): Promise<FleetState> {
    while (!condition(this.#state)) await abortable(this.#changed.promise, signal)
    signal.throwIfAborted()
    return this.#state
  }

  async #untilChanged(signal: AbortSignal): Promise<boolean> {
    try {
      await abortable(this.#changed.promise, signal)
      return true
    } catch {
      return false
    }
  }
}
