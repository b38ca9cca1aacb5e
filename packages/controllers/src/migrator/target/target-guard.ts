import { retryAfterMs } from '@strata/client'
import { deadline, type Log, sleep, type World } from '@strata/world'
import type { Halt } from '../progress/halt.ts'
import type { StorageVersionHistory } from './follow-storage-version.ts'
import { decideMovement, type MigrationTarget, type Movement, type TargetDecision } from './target.ts'

export interface TargetGuardOptions {
  readonly world: Pick<World, 'clock' | 'random'>
  readonly log: Log
  readonly target: MigrationTarget
  readonly observe: (signal: AbortSignal) => Promise<TargetDecision>
  readonly history: StorageVersionHistory | undefined
  readonly halt: Halt
  readonly everyMs: number
  readonly requestTimeoutMs: number
  readonly patienceMs: number
}

const betweenLooksMs = 1_000
/** A watch that is further behind is broken. */
const looksAtWatch = 5

/** Ends the run, without a success, when the target has changed. */
export class TargetGuard {
  readonly #options: TargetGuardOptions
  #looks = 0

  constructor(options: TargetGuardOptions) {
    this.#options = options
  }

  /** How many reads had an answer. */
  get looks(): number {
    return this.#looks
  }

  /** Reads the target, and ends the run if it has changed. A failed read is ignored: `confirm` decides in the end. */
  async check(signal: AbortSignal): Promise<void> {
    try {
      await this.#look(signal)
    } catch (error) {
      if (!signal.aborted) this.#options.log.info('reading the target failed', { error: String(error) })
    }
  }

  /** Reads the target periodically during the work, until the run has ended. */
  async watch(): Promise<void> {
    const { world, halt, everyMs } = this.#options
    while (!halt.waits.aborted) {
      await sleep(world.clock, everyMs, halt.waits).catch(() => {})
      if (!halt.waits.aborted) await this.check(halt.waits)
    }
  }

  /** Whether the target still stands after the last write. Retried for `patienceMs` until there is an answer. */
  async confirm(): Promise<boolean> {
    const { world, halt, patienceMs, log } = this.#options
    const endMs = world.clock.monotonicMs() + patienceMs
    for (;;) {
      let waitMs = betweenLooksMs
      try {
        const movement = await this.#look(halt.waits)
        if (movement.kind === 'stands') return true
        if (movement.kind === 'waits') log.info('waiting until all servers have reported', movement)
      } catch (error) {
        if (!halt.waits.aborted) log.info('confirming the target failed', { error: String(error) })
        waitMs = Math.max(waitMs, retryAfterMs(error))
      }
      if (halt.end || world.clock.monotonicMs() >= endMs) return false
      await sleep(world.clock, waitMs, halt.waits).catch(() => {})
    }
  }

  /**
   * Whether the watch has seen everything up to this look. It may be a moment behind: a server starts and writes the
   * StorageVersion, we read it before its event arrives on the watch, and a migration of hours would start from nothing.
   */
  async #isWatched(now: TargetDecision & { readonly agreed: true }, signal: AbortSignal): Promise<boolean> {
    const { world, target, history } = this.#options
    const { resourceVersion = '' } = now.target
    if (history === undefined) return false
    const mayMatter = decideMovement(target, now, { watched: true }).kind === 'stands'
    for (let look = 1; mayMatter && !history.isSameUpTo(resourceVersion) && look <= looksAtWatch; look++) {
      await sleep(world.clock, betweenLooksMs, signal)
    }
    return history.isSameUpTo(resourceVersion)
  }

  async #look(signal: AbortSignal): Promise<Movement> {
    const { world, target, observe, halt, requestTimeoutMs } = this.#options
    const limit = deadline(world.clock, requestTimeoutMs, signal)
    try {
      const now = await observe(limit.signal)
      this.#looks++
      const watched = now.agreed && (await this.#isWatched(now, limit.signal))
      const movement = decideMovement(target, now, { watched })
      if (movement.kind === 'moved') {
        halt.finish({ kind: 'aborted', because: `the target moved: ${movement.because}` })
      }
      return movement
    } finally {
      limit.dispose()
    }
  }
}
