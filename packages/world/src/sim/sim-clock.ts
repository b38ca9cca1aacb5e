import type { Clock } from '../clock.ts'
import { NO_PROCESS, type Scheduler } from './scheduler.ts'

/** True time. It belongs to no process, so nothing freezes it: for what is in flight between them. */
export function createTrueClock(scheduler: Scheduler, wallStartMs: number): Clock {
  return {
    wallMs: () => Math.floor(wallStartMs + scheduler.nowMs),
    monotonicMs: () => scheduler.nowMs,
    after: (delayMs, callback) => scheduler.schedule(delayMs, NO_PROCESS, 'timer', callback),
    soon: (callback) => {
      scheduler.soon(NO_PROCESS, 'soon', callback)
    },
  }
}
