import type { MigrationProgress } from '@strata/api'
import { claimTimes, type ProgressReport, statusOfReport } from '@strata/controllers'
import { deadline, sleep, type World } from '@strata/world'
import type { HeldRecord, SaveOutcome } from './record.ts'

const saveEveryMs = 1_000
const requestMs = 15_000

/**
 * Saves the progress of a run in the background: at most once a second, and one write at a time. A failed write does not
 * stop the run: if the process is killed then, a few seconds of work are repeated.
 */
export class RunRecord {
  readonly #held: HeldRecord
  readonly #world: Pick<World, 'clock' | 'log'>
  readonly #stop = new AbortController()
  #latest: MigrationProgress
  #waitingFor: string | undefined
  #isSaved = true
  #lost: Exclude<SaveOutcome, 'saved'> | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(held: HeldRecord, world: Pick<World, 'clock' | 'log'>) {
    this.#held = held
    this.#world = world
    this.#latest = held.progress
  }

  /** Set when this process has lost the migration. */
  get lost(): Exclude<SaveOutcome, 'saved'> | undefined {
    return this.#lost
  }

  get progress(): MigrationProgress {
    return this.#latest
  }

  note(report: ProgressReport): void {
    this.#latest = statusOfReport(report)
    this.#waitingFor = report.waitingFor
    this.#isSaved = false
  }

  start(): void {
    this.#running = this.#loop()
  }

  /** Ends the background writes. After it, only the caller writes. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #loop(): Promise<void> {
    const { clock } = this.#world
    let renewedMs = clock.monotonicMs()
    // Reports Running at once: the first page may take a while.
    await this.#write((signal) => this.#held.save(this.#latest, signal, this.#waitingFor))
    while (!this.#stop.signal.aborted && !this.#lost) {
      await sleep(clock, saveEveryMs, this.#stop.signal).catch(() => {})
      if (this.#stop.signal.aborted) return
      if (!this.#isSaved) {
        this.#isSaved = true
        await this.#write((signal) => this.#held.save(this.#latest, signal, this.#waitingFor))
      }
      if (clock.monotonicMs() - renewedMs >= claimTimes.renewEveryMs) {
        renewedMs = clock.monotonicMs()
        await this.#write((signal) => this.#held.renew(signal))
      }
    }
  }

  async #write(write: (signal: AbortSignal) => Promise<SaveOutcome>): Promise<void> {
    const limit = deadline(this.#world.clock, requestMs)
    try {
      const outcome = await write(limit.signal)
      if (outcome !== 'saved') this.#lost = outcome
    } catch (error) {
      this.#isSaved = false
      this.#world.log.info('saving progress failed; retrying', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }
}
