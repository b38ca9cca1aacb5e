import type { Clock } from '../clock.ts'

/** The longest delay of setTimeout; anything longer would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

export const browserClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), LONGEST_DELAY_MS))
    return () => clearTimeout(timer)
  },
  soon: (callback) => {
    setTimeout(callback, 0)
  },
}
