import type { AgreementEntry } from '@strata/api'
import { couldWork } from './could-work.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/** How long entries of a process may stand after another one has taken its identity. */
const boundMs = 10_000

/**
 * Rule 1. In the moment in which a process stores an entry, it holds the Lease of that server: otherwise two of one name
 * overwrite each other. And nobody is spoken for by the entries of the process before it: where another one holds the
 * Lease they are gone within 10 seconds, if that one could work.
 */
export const oneVoice: Checker = {
  name: 'one-voice',
  *check(history) {
    const ghosts = new Map<string, { readonly fromMs: number; told: boolean }>()
    for (const { commit, state, apply } of replay(history)) {
      const before = new Map(state.records)
      apply()
      const holderOf = (server: string): string | undefined =>
        state.leases.get(server)?.lease.spec?.holderIdentity
      const standing = new Set<string>()
      for (const [name, { status }] of state.records) {
        if (before.get(name)?.status.servers !== status.servers) {
          for (const { process, serverID } of newEntries(status.servers, before.get(name)?.status.servers)) {
            if (holderOf(serverID) === process) continue
            const text = `${process} stored an entry in ${name}, but ${holderOf(serverID)} holds the Lease`
            yield { atMs: commit.atMs, text }
          }
        }
        for (const { process, serverID } of status.servers) {
          const holder = holderOf(serverID)
          if (holder === undefined || holder === process) continue
          const ghost = `${name} ${process} ${holder}`
          standing.add(ghost)
          const since = ghosts.get(ghost) ?? { fromMs: commit.atMs, told: false }
          ghosts.set(ghost, since)
          if (
            since.told ||
            commit.atMs - since.fromMs <= boundMs ||
            !couldWork(history, holder, since.fromMs, commit.atMs)
          )
            continue
          since.told = true
          const text = `the entry of ${process} still stands in ${name}, though ${holder} has its Lease`
          yield { atMs: commit.atMs, text }
        }
      }
      for (const ghost of ghosts.keys()) if (!standing.has(ghost)) ghosts.delete(ghost)
    }
  },
}

function newEntries(
  now: readonly AgreementEntry[],
  before: readonly AgreementEntry[] = [],
): readonly AgreementEntry[] {
  const known = new Set(before.map(({ process }) => process))
  return now.filter(({ process }) => !known.has(process))
}
