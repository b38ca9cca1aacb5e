import { leasePrefix } from '../keys.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/** Rule 7. A server removes its Lease when no entry of it is left: a server with an entry counts as a writer. */
export const leavesLast: Checker = {
  name: 'leaves-last',
  *check(history) {
    const runs = new Map(history.runs.map((run) => [run.writer, run]))
    for (const { commit, state } of replay(history)) {
      const { process, leavingMs = Number.POSITIVE_INFINITY } = runs.get(commit.writer) ?? {}
      // A collector that has seen it expire may ask the very server whose Lease it is to delete it.
      if (leavingMs > commit.atMs) continue
      for (const { kind, key } of commit.changes) {
        if (kind !== 'delete' || !key.startsWith(leasePrefix)) continue
        const held = state.leases.get(key.slice(leasePrefix.length))?.lease.spec?.holderIdentity
        if (held !== process) continue
        const names = [...state.records]
          .filter(([, { status }]) => status.servers.some((entry) => entry.process === process))
          .map(([name]) => name)
        if (names.length === 0) continue
        yield {
          atMs: commit.atMs,
          text: `${commit.writer} gave its Lease back with its entries standing: ${names}`,
        }
      }
    }
  },
}
