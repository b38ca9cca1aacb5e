import { namespaces } from '@strata/api'
import { addressOf, type Client, isConflict } from '@strata/client'
import type { World } from '@strata/world'
import type { FleetServer } from '../processes/fleet-server.ts'
import type { FleetBoard } from '../state/fleet-board.ts'
import { type LoadedKind, loadNamespace, loadSelector, servedAt } from './loaded-kind.ts'
import { runWriteLoad, type WriteCounts } from './write-load.ts'

export interface LoaderParts {
  readonly board: FleetBoard
  readonly servers: readonly FleetServer[]
  /** Reaches any server that answers. */
  readonly client: Client
  readonly kind: LoadedKind
  readonly world: World
  readonly signal: AbortSignal
}

/** Writes through the servers at the rate that was asked for last. One load at a time; the board shows its numbers. */
export class Loader {
  readonly #parts: LoaderParts
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined
  /** Ends when the last change that was asked for is made. */
  #changing: Promise<unknown> = Promise.resolve()

  constructor(parts: LoaderParts) {
    this.#parts = parts
    parts.signal.addEventListener('abort', () => this.#running?.stop.abort(), { once: true })
  }

  /** 0 ends the load, and removes what it has written. One change at a time: two at once would both find no load to stop. */
  set(writesPerSecond: number): Promise<void> {
    const change = this.#changing.then(() => this.#change(writesPerSecond))
    this.#changing = change.catch(() => {})
    return change
  }

  async #change(writesPerSecond: number): Promise<void> {
    const { board, client, kind, world, signal } = this.#parts
    await this.#stop()
    if (writesPerSecond === 0) {
      const left = board.state.load
      await this.#remove()
      // What was written stays readable until the next load.
      if (left) board.change({ load: { ...left, writesPerSecond: 0 } })
      return
    }
    const metadata = { name: loadNamespace }
    await client
      .resource(namespaces, 'v1')
      .create({ metadata }, signal)
      .catch((error: unknown) => {
        if (!isConflict(error)) throw error
      })
    const stop = new AbortController()
    if (signal.aborted) stop.abort()
    board.change({ load: { writesPerSecond, written: 0, refused: 0, unknown: 0 } })
    const onCount = (counts: WriteCounts): void => board.change({ load: { writesPerSecond, ...counts } })
    const ended = runWriteLoad(
      { kind, servers: () => this.#taking(), writesPerSecond, world, onCount, hurry: signal },
      stop.signal,
    )
    this.#running = { stop, ended }
  }

  async #stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    running?.stop.abort()
    await running?.ended
  }

  /** A server that is about to stop gets no more requests. */
  #taking(): { readonly transport: FleetServer['transport']; readonly release: string }[] {
    const { board, servers } = this.#parts
    return servers.flatMap(({ name, transport }) => {
      const { state, release } = board.server(name)
      return state === 'ready' ? [{ transport, release }] : []
    })
  }

  async #remove(): Promise<void> {
    const { board, client, kind, signal } = this.#parts
    const release = board.state.servers.find(({ state }) => state === 'ready')?.release ?? ''
    const [version = ''] = servedAt(kind.definition, release)
    await client
      .resource(addressOf(kind.definition, version))
      .deleteCollection({ namespace: loadNamespace, labelSelector: loadSelector }, signal)
  }
}
