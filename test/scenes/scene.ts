import type { Ground } from './ground.ts'

/** A report of a user, played again: what today's tools do, and what Strata does instead. */
export interface Scene {
  /** The thread, as `owner/repository#number`. */
  readonly thread: string
  /** What happened there, in one sentence. */
  readonly story: string
  play(ground: Ground): Promise<void>
}

/** Why a cluster has no place for a scene, or for its last part: thrown by a scene that cannot go on. */
export class NotHere extends Error {
  override readonly name = 'NotHere'
}
