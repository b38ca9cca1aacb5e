import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Processes } from './processes.ts'
import type { Random } from './random.ts'

/** Everything uncertain that a part of the system may touch, besides the store and the network. */
export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly processes: Processes
}
