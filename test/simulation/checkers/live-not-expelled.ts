import type { AgreementEntry } from '@strata/api'
import type { Change } from '@strata/server/store'
import type { History, ObservedCommit } from '../history.ts'
import { leasePrefix } from '../keys.ts'
import { type AgreementState, replay, type StoredLease } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * A server that renews its Lease in time does not lose it. Another process deletes the Lease only after its whole duration
 * without a renewal, and takes it over only after two renewal intervals, on the fastest clock that there is. A server that leaves
 * deletes its own; a dead one renews nothing. And while a Lease stands, only a process of that server removes its entries.
 */
export const liveNotExpelled: Checker = {
  name: 'live-not-expelled',
  *check(history) {
    for (const { commit, state, written, apply } of replay(history)) {
      for (const change of commit.changes) {
        if (!change.key.startsWith(leasePrefix)) continue
        const stored = state.leases.get(change.key.slice(leasePrefix.length))
        const problem = stored && lost(history, commit, change, stored)
        if (problem) yield { atMs: commit.atMs, text: problem }
      }
      apply()
      for (const [name, before] of written) {
        const now = state.records.get(name)
        for (const entry of before?.status.servers ?? []) {
          if (now?.status.servers.some(({ serverID }) => serverID === entry.serverID)) continue
          if (!isOthers(history, commit, entry, state)) continue
          const text = `${commit.writer} took ${entry.process} out of ${name}, while its Lease stood`
          yield { atMs: commit.atMs, text }
        }
      }
    }
  },
}

function lost(
  { runs, leaseDurationMs, renewIntervalMs, fastestClock }: History,
  { atMs }: ObservedCommit,
  change: Change,
  { lease, renewedMs }: StoredLease,
): string | undefined {
  const holder = lease.spec?.holderIdentity ?? ''
  const run = runs.find(({ process }) => process === holder)
  const ageMs = atMs - renewedMs
  if (change.kind === 'delete') {
    const isLeaving = atMs >= (run?.leavingMs ?? Number.POSITIVE_INFINITY)
    if (isLeaving || ageMs >= leaseDurationMs / fastestClock - 1) return undefined
    return `the Lease of ${holder} was deleted ${ageMs.toFixed()} ms after its renewal`
  }
  if (
    Buffer.from(change.value).includes(`"${holder}"`) ||
    !run ||
    (run.endedMs !== undefined && run.endedMs <= atMs)
  )
    return undefined
  if (ageMs >= (2 * renewIntervalMs) / fastestClock - 1) return undefined
  return `the Lease of ${holder}, who lives, was taken ${ageMs.toFixed()} ms after its renewal`
}

function isOthers(
  { runs }: History,
  { writer }: ObservedCommit,
  { serverID }: AgreementEntry,
  { leases }: AgreementState,
): boolean {
  return leases.has(serverID) && runs.find((run) => run.writer === writer)?.serverID !== serverID
}
