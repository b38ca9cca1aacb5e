import type { Log } from '../log.ts'
import type { World } from '../world.ts'
import { nodeClock } from './clock.ts'
import { createNodeProcesses } from './processes.ts'
import { createNodeRandom } from './random.ts'

/** The real world. Only `main` files call this; everything below them is handed its parts. */
export function createNodeWorld({ log }: { readonly log: Log }): World {
  return { clock: nodeClock, random: createNodeRandom(), log, processes: createNodeProcesses() }
}
