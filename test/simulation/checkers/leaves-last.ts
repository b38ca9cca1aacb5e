import { leasePrefix } from '../keys.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/** Rule 7. A server gives its Lease back when no entry of it is left: whoever has an entry counts as one that writes. */
export const leavesLast: Checker = {
  name: 'leaves-last',
  *check({ runs, commits, ...rest }) {
    const processes = new Map(runs.map(({ writer, process }) => [writer, process]))
    for (const { commit, state } of replay({ runs, commits, ...rest })) {
      const process = processes.get(commit.writer)
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
