import type { Asked, Lab, LabServer, Reply, StoredValue } from '@strata/rehearsal'
import { sendRequest, withRetries } from '@strata/rehearsal'
import type { Store } from '@strata/server/store'
import { sleep, type Transport, TransportError, type World } from '@strata/world'
import type { LiveServer } from './live-server.ts'

const lookEveryMs = 100

export interface LiveLabParts {
  readonly servers: readonly LiveServer[]
  readonly store: Store
  readonly token: string
  readonly world: World
  readonly signal: AbortSignal
}

/** A fleet of real processes over one store, in real time. */
export class LiveLab implements Lab {
  readonly servers: readonly LiveServer[]
  readonly client: World
  readonly token: string
  readonly #parts: LiveLabParts
  readonly #beganMs: number
  #turn = 0

  constructor(parts: LiveLabParts) {
    this.#parts = parts
    this.servers = parts.servers
    this.client = parts.world
    this.token = parts.token
    this.#beganMs = parts.world.clock.monotonicMs()
  }

  get nowMs(): number {
    return Math.round(this.client.clock.monotonicMs() - this.#beganMs)
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return promise
  }

  pass(ms: number): Promise<void> {
    return sleep(this.client.clock, ms, this.#parts.signal)
  }

  async until(condition: () => boolean, limitMs: number): Promise<boolean> {
    const endMs = this.nowMs + limitMs
    for (;;) {
      await Promise.all(this.servers.map((server) => server.look(this.#parts.signal)))
      if (condition()) return true
      if (this.nowMs >= endMs) return false
      await this.pass(lookEveryMs)
    }
  }

  ask(server: LabServer, asked: Asked): Promise<Reply | undefined> {
    return withRetries(
      () => this.#request(server, asked),
      (ms) => this.pass(ms),
    )
  }

  send(server: LabServer, asked: Asked): void {
    void this.#request(server, asked)
  }

  get balanced(): Transport {
    return (request) => {
      const ready = this.servers.filter(({ isUp, isReady }) => isUp && isReady)
      const server = ready[this.#turn++ % Math.max(1, ready.length)]
      if (!server) return Promise.reject(new TransportError('no server is ready', 'no'))
      return server.transport(request)
    }
  }

  async load(entries: readonly StoredValue[]): Promise<void> {
    for (const { key, value } of entries) {
      await this.#parts.store.commit(
        { writes: [{ kind: 'put', key, value }], guards: [] },
        this.#parts.signal,
      )
    }
  }

  async stored(prefix: string): Promise<readonly StoredValue[]> {
    return (await this.#parts.store.list({ prefix }, this.#parts.signal)).entries
  }

  #request({ number }: LabServer, asked: Asked): Promise<Reply | undefined> {
    const transport = this.servers[number - 1]?.transport
    if (!transport) return Promise.resolve(undefined)
    return sendRequest({ transport, token: this.token, clock: this.client.clock }, asked)
  }
}
