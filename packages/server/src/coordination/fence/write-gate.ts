import type { GroupResource } from '@strata/api'
import type { Codec } from '../../codec/index.ts'
import type { BrokenGuard, Guard } from '../../store/index.ts'

/** The version and key of a write, and the guards that its transaction must carry besides its own. */
export interface WritePermit {
  readonly encodingVersion: string
  /** The key to encrypt it under (rule 17). */
  readonly writeKey: string
  readonly guards: readonly Guard[]
  /** How long the commit of a loose server may take; undefined: as long as the client waits. */
  readonly withinMs?: number
}

/** The interface of agreement for filters and registry. */
export interface WriteGate {
  /** Throws 503 while writes of the resource are not allowed. */
  check(resource: GroupResource): void
  /**
   * Resolves when writes are allowed, or waiting is no use: after a time limit, when the CRD is gone, or when the server shuts
   * down. Undefined if there is nothing to wait for. Only for custom resources: they are registered while clients are at work,
   * built-in resources before the server is ready.
   */
  opening(resource: GroupResource, signal: AbortSignal): Promise<void> | undefined
  /** The same as `check`, and counts the write as in flight until its ticket is given back. */
  enter(resource: GroupResource, codec: Codec): WriteTicket
}

export interface WriteTicket {
  permit(): WritePermit
  /**
   * The store refused the commit. Resolves when the write should be retried; throws when it should not. Ignores guards that
   * the caller added.
   */
  broken(guards: readonly BrokenGuard[], signal: AbortSignal): Promise<void>
  /** The outcome of the commit is unknown: it may still take place. */
  unknown(): void
  /** Must be called when the write is over, whatever its outcome (rule 7 waits for it). */
  leave(): void
}
