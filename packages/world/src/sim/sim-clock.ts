import type { Clock } from '../clock.ts'
import { NO_PROCESS, type Scheduler } from './scheduler.ts'

/** True time, for messages in flight. It belongs to no process, so no freeze stops it. */
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
