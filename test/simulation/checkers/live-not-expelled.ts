import { leasePrefix } from '../keys.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * Nobody loses its Lease who has renewed it in time: between the last renewal and its deletion by another lies
 * the Lease's whole duration, on the fastest clock that there is. A server that leaves deletes its own.
 */
export const liveNotExpelled: Checker = {
  name: 'live-not-expelled',
  *check(history) {
    const leaving = new Map(
      history.runs.map(({ process, leavingMs = Number.POSITIVE_INFINITY }) => [process, leavingMs]),
    )
    const shortestMs = history.leaseDurationMs / history.fastestClock - 1
    for (const { commit, state } of replay(history)) {
      for (const change of commit.changes) {
        if (change.kind !== 'delete' || !change.key.startsWith(leasePrefix)) continue
        const stored = state.leases.get(change.key.slice(leasePrefix.length))
        const holder = stored?.lease.spec?.holderIdentity ?? ''
        if (!stored || commit.atMs >= (leaving.get(holder) ?? Number.POSITIVE_INFINITY)) continue
        const ageMs = commit.atMs - stored.putMs
        if (ageMs >= shortestMs) continue
        yield {
          atMs: commit.atMs,
          text: `the Lease of ${holder} was deleted ${ageMs.toFixed()} ms after its renewal`,
        }
      }
    }
  },
}
