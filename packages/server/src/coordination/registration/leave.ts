import { deadline, jitter, sleep, type World } from '@strata/world'
import type { Identity } from '../identity/identity.ts'

/** A store that elects another leader is back by then; whoever presses Ctrl-C has not gone away. */
const patienceMs = 15_000

/**
 * The end of a membership (rule 7): entries go, then the Lease. Each of these begins with a look at what stands, so that
 * it can be done again when the answer was lost. *Otherwise: the store changes its leader while a server is drained, one
 * commit of sixty ends as unknown, and the Lease of a server that has left stands without entries for an hour, in which
 * nobody agrees on anything.* Throws when it could not be done in time.
 */
export async function leaveFleet(
  parts: {
    readonly world: World
    readonly identity: Pick<Identity, 'renew' | 'release'>
    readonly removeEntries: (signal: AbortSignal) => Promise<void>
    /** Whether the Lease holds entries together: of a server that records, and can be seen. */
    readonly hasEntries: boolean
  },
  signal: AbortSignal,
): Promise<void> {
  const { world, identity, removeEntries, hasEntries } = parts
  const limit = deadline(world.clock, patienceMs, signal)
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        // Entries are stored under a guard of the Lease: one that is still on its way cannot arrive behind its removal.
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
