import type { GroupResource } from '@strata/api'
import type { Codec } from '../../codec/index.ts'
import type { BrokenGuard, Guard } from '../../store/index.ts'

/** What a write must be encoded in, and what its transaction must carry besides its own guards. */
export interface WritePermit {
  readonly encodingVersion: string
  /** The key to encrypt it under (rule 17). */
  readonly writeKey: string
  readonly guards: readonly Guard[]
  /** How long its commit may take, where no guard refuses what comes late; else as long as whoever asked waits. */
  readonly withinMs?: number
}

/** How filters and registry see agreement. */
export interface WriteGate {
  /** Throws 503 while writes of the resource are not allowed. */
  check(resource: GroupResource): void
  /**
   * Resolves when writes are allowed, or when it is no use to wait on; undefined if they are. Only custom resources are
   * waited for: they are registered while clients are at work, those of the program before it is ready.
   */
  opening(resource: GroupResource, signal: AbortSignal): Promise<void> | undefined
  /** The same as `check`, and counts the write as in flight until its ticket is given back. */
  enter(resource: GroupResource, codec: Codec): WriteTicket
}

export interface WriteTicket {
  permit(): WritePermit
  /**
   * The commit was refused. Resolves when trying again makes sense; throws when it does not. Guards of the
   * caller's own are ignored.
   */
  broken(guards: readonly BrokenGuard[], signal: AbortSignal): Promise<void>
  /** Nobody knows what became of the commit: it may still take place. */
  unknown(): void
  /** Must be called when the write is over, whatever became of it (rule 7 waits for it). */
  leave(): void
}
