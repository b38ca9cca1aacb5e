import type { Cancel, Clock } from '../clock.ts'
import type { Scheduler } from './scheduler.ts'
import type { SkewedTime } from './skewed-time.ts'
import type { Job, Turnstile } from './turnstile.ts'

/** Sums of fractions miss their target by less than this. */
const ROUNDING_MS = 1e-6
/** Node never waits less; were it less here, a loop of zero delays would stop time. */
const SHORTEST_DELAY_MS = 1

/** The clock of one process: skewed. No timer fires while the process is frozen, or after its end. */
export function createProcessClock(
  owner: string,
  scheduler: Scheduler,
  time: SkewedTime,
  turnstile: Turnstile,
): Clock {
  const ready: (() => void)[] = []

  const after = (delayMs: number, callback: () => void): Cancel => {
    const dueMs = time.monotonicMs() + Math.max(SHORTEST_DELAY_MS, delayMs)
    let unschedule: Cancel = () => {}
    const arm = (): void => {
      const delay = time.toTrueMs(dueMs - time.monotonicMs())
      unschedule = scheduler.schedule(delay, owner, 'timer', () => turnstile.enter(job))
    }
    const job: Job = {
      label: 'timer',
      run: () => {
        // The clock may have been slowed since. A timer may be late, but never early.
        if (time.monotonicMs() < dueMs - ROUNDING_MS) arm()
        else callback()
      },
    }
    arm()
    return () => {
      job.run = undefined
      unschedule()
    }
  }

  return {
    wallMs: () => time.wallMs(),
    monotonicMs: () => time.monotonicMs(),
    after,
    // The seed shuffles the turns of different processes. Within one process, callbacks run in the order in which they were
    // requested.
    soon: (callback) => {
      ready.push(callback)
      const job: Job = { label: 'soon', run: () => ready.shift()?.() }
      scheduler.soon(owner, job.label, () => turnstile.enter(job))
    },
  }
}
