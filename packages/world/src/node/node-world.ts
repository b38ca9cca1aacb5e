import type { Log } from '../log.ts'
import type { World } from '../world.ts'
import { nodeClock } from './node-clock.ts'
import { createNodeProcesses } from './node-processes.ts'
import { createNodeRandom } from './node-random.ts'

/** The real world. Only `main` files call this; everything below them is handed its parts. */
export function createNodeWorld({ log }: { readonly log: Log }): World {
  return { clock: nodeClock, random: createNodeRandom(), log, processes: createNodeProcesses() }
}
