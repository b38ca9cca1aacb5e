import type { StrataServer } from '@strata/server'
import { chance, type Random } from '@strata/world'
import { type AlternationCounts, Lane } from './alternation-lane.ts'

export interface AlternationOptions {
  /** Any of the two writes, the other one reads. */
  readonly servers: readonly [StrataServer, StrataServer]
  readonly random: Random
  readonly count: number
  /** How many run at once, each in its own namespace, so that each knows what it must see. */
  readonly lanes?: number
}

/**
 * Writes through one server, and through the other one reads that very state: one object, and lists of every kind
 * that promises to be fresh. Throws `StaleRead` at the first answer that shows anything else.
 */
export async function alternate(options: AlternationOptions): Promise<AlternationCounts> {
  const counts: AlternationCounts = { alternations: 0, behind: 0, writes: {}, reads: {} }
  const { servers, count, random, lanes = 16 } = options
  let begun = 0
  let failed = false
  const run = async (number: number): Promise<void> => {
    const lane = new Lane(number, random, counts)
    await lane.open(servers[0])
    while (begun < count && !failed) {
      begun++
      const swapped = chance(random, 0.5)
      await lane.alternate(servers[swapped ? 1 : 0], servers[swapped ? 0 : 1])
      counts.alternations++
    }
  }
  const running = Array.from({ length: lanes }, async (_, number) => {
    try {
      await run(number)
    } catch (error) {
      failed = true
      throw error
    }
  })
  // All of them end before anything is closed under them; the first failure is thrown.
  const ends = await Promise.allSettled(running)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return counts
}
