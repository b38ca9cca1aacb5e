/** Undoes what returned it. Calling it twice, or too late, does nothing. */
export type Cancel = () => void

/**
 * Time, handed in. Two readings, because they answer different questions.
 *
 * The wall clock is for people and for timestamps on the wire; it may jump in both directions. The
 * monotonic clock is for ages, deadlines and expiry. Deciding expiry on the wall clock would let one
 * clock jump expel every live server at once (agreement.md, rule 8).
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  wallMs(): number
  /** Milliseconds since some moment in the past; never decreases. Its zero means nothing. */
  monotonicMs(): number
  /** Calls back once, after `delayMs` on the monotonic clock. */
  after(delayMs: number, callback: () => void): Cancel
  /** Calls back soon, after everything that is ready now has had its turn. */
  soon(callback: () => void): void
}

/** Resolves after `delayMs`; rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const onAbort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** RFC 3339 with seconds, the form of `creationTimestamp`. */
export function timestamp(clock: Clock): string {
  const second = Math.floor(clock.wallMs() / 1000)
  if (second !== shownSecond) {
    shown = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
    shownSecond = second
  }
  return shown
}

/** Thousands of writes in one second carry the same text. */
let shownSecond = Number.NaN
let shown = ''

/** RFC 3339 with microseconds, the form of a Lease's `renewTime`. */
export function microTimestamp(clock: Clock): string {
  return `${new Date(clock.wallMs()).toISOString().slice(0, 23)}000Z`
}
