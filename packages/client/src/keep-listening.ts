import { type Clock, DeadlineExceeded, deadline, sleep } from '@strata/world'

export interface Listening {
  readonly clock: Clock
  /** Watches until the signal is aborted, and handles its own failures. */
  readonly listen: (signal: AbortSignal) => Promise<unknown>
  /** A request that a healthy server answers at once. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>
  /** The pause between two requests. */
  readonly everyMs?: number
}

const everyMsDefault = 1_000
/** A busy server may take a while; to switch costs only a new watch. */
const answerMs = 5_000

/**
 * Listens until the signal is aborted, and starts again when a server does not answer in time. A watch alone cannot tell a
 * frozen server from one without events: its connection stays open, and bookmarks come only once a minute.
 */
export async function keepListening(options: Listening, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const round = new AbortController()
    const end = (): void => round.abort(signal.reason)
    signal.addEventListener('abort', end, { once: true })
    try {
      const listening = options.listen(round.signal)
      const isSilent = untilSilent(options, round.signal)
      await Promise.race([listening, isSilent])
      round.abort(new Error('the server does not answer'))
      await Promise.all([listening, isSilent])
    } finally {
      round.abort()
      signal.removeEventListener('abort', end)
    }
  }
}

/** Resolves when the server is silent. Any failure but a timeout is an answer: the watch fails then too. */
export async function untilSilent(
  { clock, ask, everyMs = everyMsDefault }: Omit<Listening, 'listen'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const limit = deadline(clock, answerMs, signal)
    try {
      await ask(limit.signal)
    } catch (error) {
      if (error instanceof DeadlineExceeded) return
    } finally {
      limit.dispose()
    }
    await sleep(clock, everyMs, signal).catch(() => {})
  }
}
