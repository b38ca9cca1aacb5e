import { couldWork } from './could-work.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/** How long a claim may stand after a server came that has not reported. */
const boundMs = 25_000

/**
 * Rule 11, as far as it can hold: Leases are not among the guards of a record, so that a server which takes its
 * Lease between the reading and the commit is overlooked. It cannot write before it has an entry, so this is
 * harmless for a moment, but only for one. The precise form: no record says AllServersReported for more than
 * 25 seconds on end while an identity Lease without an entry exists, provided that in all that time some
 * server of that record could do its work (it was not frozen, not cut off, and no storm was on).
 */
export const everyoneCounted: Checker = {
  name: 'everyone-counted',
  *check(history) {
    /** Since when a record has overlooked a server. */
    const since = new Map<string, number>()
    for (const { commit, state, apply } of replay(history)) {
      apply()
      for (const [name, { status }] of state.records) {
        const claims = status.conditions.some(
          (each) => each.type === 'AllServersReported' && each.status === 'True',
        )
        const reported = new Set(status.servers.map(({ serverID }) => serverID))
        for (const server of state.leases.keys()) {
          const pair = `${name} ${server}`
          if (!claims || reported.has(server)) {
            since.delete(pair)
            continue
          }
          const fromMs = since.get(pair) ?? commit.atMs
          since.set(pair, fromMs)
          if (commit.atMs - fromMs <= boundMs) continue
          if (!status.servers.some(({ process }) => couldWork(history, process, fromMs, commit.atMs)))
            continue
          yield {
            atMs: commit.atMs,
            text: `${name} says that all have reported, but ${server} has a Lease and no entry`,
          }
          since.delete(pair)
        }
        for (const pair of since.keys()) {
          const [record, server = ''] = pair.split(' ')
          if (record === name && !state.leases.has(server)) since.delete(pair)
        }
      }
    }
  },
}
