import { type Clock, DeadlineExceeded, deadline, sleep } from '@strata/world'

export interface Listening {
  readonly clock: Clock
  /** Waits for news, until the signal is aborted. What fails is its own business. */
  readonly listen: (signal: AbortSignal) => Promise<unknown>
  /** Something that a server which is well answers at once. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>
}

const everyMs = 1_000
/** A busy server may take a while, and another one costs nothing but a new beginning. */
const answerMs = 5_000

/**
 * Listens until the signal is aborted, and begins anew when a server has not answered in time. Whoever only listens cannot
 * tell a server that is frozen from one without news: its connection stands, and bookmarks come but once a minute.
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

/** Any other failure is an answer: whoever listens there is told as well. */
async function untilSilent({ clock, ask }: Listening, signal: AbortSignal): Promise<void> {
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
