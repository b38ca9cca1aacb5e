import type { AgreementEntry } from '@strata/api'
import { couldWork } from './could-work.ts'
import { type AgreementState, replay } from './records.ts'
import { standsFrom } from './stands-from.ts'
import type { Checker } from './violation.ts'

/** How long entries of a process may stand after another one has taken its identity. */
const boundMs = 10_000

/**
 * Rule 1. In the moment in which a process stores an entry, it holds the Lease of that server: otherwise two of one name
 * overwrite each other. And no process is represented by the entries of an earlier one: where another one holds the
 * Lease they are gone within 10 seconds, if that one could work.
 */
export const oneVoice: Checker = {
  name: 'one-voice',
  *check(history) {
    let ghosts: ReadonlyMap<string, Ghost> = new Map()
    for (const { commit, state, written, apply } of replay(history)) {
      const { leaseTurns } = state
      apply()
      const holderOf = (server: string): string | undefined =>
        state.leases.get(server)?.lease.spec?.holderIdentity
      for (const [name, before] of written) {
        const servers = state.records.get(name)?.status.servers ?? []
        for (const { process, serverID } of newEntries(servers, before?.status.servers)) {
          if (holderOf(serverID) === process) continue
          const text = `${process} stored an entry in ${name}, but ${holderOf(serverID)} holds the Lease`
          yield { atMs: commit.atMs, text }
        }
      }
      const isSame = written.size === 0 && state.leaseTurns === leaseTurns
      if (!isSame) ghosts = ghostsIn(state, ghosts, standsFrom(history, commit.atMs))
      for (const ghost of ghosts.values()) {
        const { name, process, holder, fromMs } = ghost
        if (ghost.isReported || commit.atMs - fromMs <= boundMs) continue
        if (!couldWork(history, holder, fromMs, commit.atMs)) continue
        ghost.isReported = true
        const text = `the entry of ${process} still stands in ${name}, though ${holder} has its Lease`
        yield { atMs: commit.atMs, text }
      }
    }
  },
}

/** The entry of a process whose Lease another one holds. */
interface Ghost {
  readonly name: string
  readonly process: string
  readonly holder: string
  readonly fromMs: number
  isReported: boolean
}

function ghostsIn(
  { records, leases }: AgreementState,
  known: ReadonlyMap<string, Ghost>,
  nowMs: number,
): ReadonlyMap<string, Ghost> {
  const standing = new Map<string, Ghost>()
  for (const [name, { status }] of records) {
    for (const { process, serverID } of status.servers) {
      const holder = leases.get(serverID)?.lease.spec?.holderIdentity
      if (holder === undefined || holder === process) continue
      const ghost = `${name} ${process} ${holder}`
      standing.set(ghost, known.get(ghost) ?? { name, process, holder, fromMs: nowMs, isReported: false })
    }
  }
  return standing
}

function newEntries(
  now: readonly AgreementEntry[],
  before: readonly AgreementEntry[] = [],
): readonly AgreementEntry[] {
  const known = new Set(before.map(({ process }) => process))
  return now.filter(({ process }) => !known.has(process))
}
