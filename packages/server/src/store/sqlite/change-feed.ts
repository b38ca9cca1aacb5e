import type { Revision } from '../store.ts'

/** The newest revision that this process knows, and the callers that wait for a newer one. */
export class RevisionFeed {
  #revision: Revision
  #waiting = new Set<() => void>()

  constructor(revision: Revision) {
    this.#revision = revision
  }

  get revision(): Revision {
    return this.#revision
  }

  move(revision: Revision): void {
    if (revision <= this.#revision) return
    this.#revision = revision
    this.wakeAll()
  }

  /** Sets the revision that the store shows now. A restore in place may lower it; the feed continues from there. */
  show(revision: Revision): void {
    if (revision === this.#revision) return
    this.#revision = revision
    this.wakeAll()
  }

  wakeAll(): void {
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const wake of waiting) wake()
  }

  /** Resolves at the next move, at `wakeAll`, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }
}
