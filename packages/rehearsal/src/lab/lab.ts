import type { HttpHeaders, Transport, World } from '@strata/world'
import type { ServerState } from '../result/rehearsal-result.ts'
import type { HeldWrite } from './held-write.ts'

// biome-ignore lint/suspicious/noExplicitAny: a client looks at whatever came back.
export type Json = any

export interface Reply {
  readonly status: number
  readonly body: Json
}

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly target: string
  readonly body?: unknown
  readonly headers?: HttpHeaders
}

/** One server of the fleet, through all of its processes. */
export interface LabServer {
  /** From 1. */
  readonly number: number
  /** As in its Lease. */
  readonly id: string
  readonly release: string
  /** Its process runs. */
  readonly isUp: boolean
  readonly isReady: boolean
  /** It does not hear of changes. */
  readonly isLate: boolean
  readonly state: ServerState['state']
  /** Where a write is to be held. */
  held?: HeldWrite | undefined
  /** Starts a process of this release. It is ready some time later, or not. */
  start(release: string): void
  /** As SIGTERM, and SIGKILL for a process that does not react. */
  stop(): Promise<void>
  crash(): void
  freeze(): void
  thaw(): void
  setLate(isLate: boolean): void
}

/** A fleet over one store, and the client that uses it: in a simulated world, or of real processes. */
export interface Lab {
  readonly servers: readonly LabServer[]
  /** The world of the client. */
  readonly client: Pick<World, 'clock' | 'random' | 'log'>
  readonly token: string
  /** Any server that is ready, the next one each time: as behind a load balancer. */
  readonly balanced: Transport
  /** Milliseconds since the start. */
  readonly nowMs: number
  /** Waits for something that happens in the world of the lab. */
  settle<T>(promise: Promise<T>): Promise<T>
  pass(ms: number): Promise<void>
  /** Whether the condition holds within the time. */
  until(condition: () => boolean, limitMs: number): Promise<boolean>
  /** The answer of one server; undefined if there is none in time. A server that asks to try again is asked again. */
  ask(server: LabServer, asked: Asked): Promise<Reply | undefined>
  /** Begins a request, and does not wait for its answer. */
  send(server: LabServer, asked: Asked): void
  /** Writes into the store, before the first server starts. */
  load(entries: readonly StoredValue[]): Promise<void>
  /** What is stored under keys with this prefix. */
  stored(prefix: string): Promise<readonly StoredValue[]>
}

export interface StoredValue {
  readonly key: string
  readonly value: Uint8Array
}

/** Those that answer with what is current. */
export const currentServers = ({ servers }: Lab): readonly LabServer[] =>
  servers.filter(({ isUp, isLate }) => isUp && !isLate)
