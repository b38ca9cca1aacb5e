import type { StorageAgreement } from '@strata/api'
import { couldWork } from './could-work.ts'
import { type AgreementState, replay } from './records.ts'
import { standsFrom } from './stands-from.ts'
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
    /** By record: the servers that it has overlooked, and since when. */
    const overlooked = new Map<string, Map<string, number>>()
    for (const { commit, state, written, apply } of replay(history)) {
      const { leaseTurns } = state
      const { atMs } = commit
      apply()
      const changed = state.leaseTurns === leaseTurns ? written.keys() : state.records.keys()
      for (const name of changed) {
        const record = state.records.get(name)
        if (!record) continue
        overlooked.set(name, overlookedBy(record, state, overlooked.get(name), standsFrom(history, atMs)))
      }
      for (const [name, since] of overlooked) {
        const servers = since.size > 0 ? state.records.get(name)?.status.servers : undefined
        if (!servers) continue
        for (const [server, fromMs] of since) {
          if (atMs - fromMs <= boundMs) continue
          if (!servers.some(({ process }) => couldWork(history, process, fromMs, atMs))) continue
          const text = `${name} says that all have reported, but ${server} has a Lease and no entry`
          yield { atMs, text }
          // Said once, and again when it has gone on for as long.
          since.set(server, atMs)
        }
      }
    }
  },
}

function overlookedBy(
  { status }: StorageAgreement,
  { leases }: AgreementState,
  known: ReadonlyMap<string, number> | undefined,
  nowMs: number,
): Map<string, number> {
  const claims = status.conditions.some(
    (each) => each.type === 'AllServersReported' && each.status === 'True',
  )
  if (!claims) return new Map()
  const reported = new Set(status.servers.map(({ serverID }) => serverID))
  const missing = [...leases.keys()].filter((server) => !reported.has(server))
  return new Map(missing.map((server) => [server, known?.get(server) ?? nowMs]))
}
