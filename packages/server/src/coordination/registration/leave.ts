import { deadline, jitter, sleep, type World } from '@strata/world'
import type { Identity } from '../identity/identity.ts'

/** Long enough for a store to elect another leader; short enough for an operator who pressed Ctrl-C. */
const patienceMs = 15_000

/**
 * Ends a membership (rule 7): removes the entries, then the Lease. Each step first reads what is stored, so it can be repeated
 * after a lost answer. Otherwise: the store changes its leader while a server drains, one commit of sixty has an unknown
 * outcome, and the Lease of a server that has left stands for an hour, in which nothing is agreed on. Throws after a time
 * limit.
 */
export async function leaveFleet(
  parts: {
    readonly world: World
    readonly identity: Pick<Identity, 'renew' | 'release'>
    readonly removeEntries: (signal: AbortSignal) => Promise<void>
    /** Whether the Lease guards entries: true for a server that records and has an identity. */
    readonly hasEntries: boolean
  },
  signal: AbortSignal,
): Promise<void> {
  const { world, identity, removeEntries, hasEntries } = parts
  const limit = deadline(world.clock, patienceMs, signal)
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        // The Lease guards each entry. The renewal makes sure that no entry on its way arrives after its removal.
        if (hasEntries) await identity.renew(limit.signal)
        await removeEntries(limit.signal)
        return await identity.release(limit.signal)
      } catch (error) {
        if (limit.signal.aborted) throw error
        world.log.warn('could not remove the entries and the Lease of this server; retrying', {
          error: String(error),
        })
        await sleep(world.clock, jitter(world.random, Math.min(2_000, 50 * 2 ** attempt), 0.5), limit.signal)
      }
    }
  } finally {
    limit.dispose()
  }
}
