import type { Cancel, Clock } from '../clock.ts'

/** The longest delay of setTimeout; anything longer would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

function after(delayMs: number, callback: () => void): Cancel {
  const dueMs = performance.now() + delayMs
  let timer: NodeJS.Timeout
  const arm = (): void => {
    const remainingMs = Math.max(0, Math.ceil(dueMs - performance.now()))
    timer = setTimeout(fire, Math.min(remainingMs, LONGEST_DELAY_MS))
  }
  const fire = (): void => {
    // Node counts whole milliseconds from the start of the loop's turn and so may be early by one.
    // A lease must never look expired before its time, so we wait for the rest.
    if (performance.now() < dueMs) arm()
    else callback()
  }
  arm()
  return () => clearTimeout(timer)
}

export const nodeClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after,
  soon: (callback) => {
    setImmediate(callback)
  },
}
