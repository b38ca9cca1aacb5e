import type { Clock, Log } from '@strata/world'
import { timestamp } from '@strata/world'
import type { Revision } from '../../store.ts'
import { readMark, writeMark } from './store-mark.ts'

export interface MarkKeeperOptions {
  readonly path: string
  readonly store: number
  /** Unique among the processes that write this mark. */
  readonly writer: string
  readonly clock: Clock
  readonly log: Log
}

/**
 * Records the revision of the store next to it, not in it. It is off the path of commits: the mark may lag behind, and several
 * processes may write it. It is never ahead of the disk, since readers see a commit only after it was synced; so it is right
 * whichever process is killed, and whenever.
 */
export class MarkKeeper {
  readonly #options: MarkKeeperOptions
  #marked: Revision = 0
  #writing: Promise<void> | undefined
  #isFailing = false

  constructor(options: MarkKeeperOptions) {
    this.#options = options
  }

  /** `revision` was read from the store. Never throws: a mark that lags behind is right, too. */
  async keep(revision: Revision): Promise<void> {
    // One write at a time: the next poll handles what came meanwhile. `close` waits and then writes the last mark.
    while (this.#writing !== undefined) await this.#writing
    if (revision <= this.#marked) return
    this.#writing = this.#write(revision).finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  get isBusy(): boolean {
    return this.#writing !== undefined
  }

  async #write(revision: Revision): Promise<void> {
    const { path, store, writer, clock, log } = this.#options
    try {
      const there = readMark(path)
      // Another process was faster. If two write at once the smaller revision may stay, which is right, too.
      if (there?.store !== store || there.revision < revision)
        await writeMark(path, { store, revision, at: timestamp(clock) }, writer)
      this.#marked = revision
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        log.warn('cannot write the mark of the store: a lost write may go unnoticed at the next start', {
          path,
          error: String(error),
        })
      this.#isFailing = true
    }
  }
}
