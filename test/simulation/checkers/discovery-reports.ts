import type { History } from '../history.ts'
import { docHashesKey, leasePrefix } from '../keys.ts'
import { couldWork } from './could-work.ts'
import { type AgreementState, replay } from './records.ts'
import { standsFrom } from './stands-from.ts'
import type { Checker } from './violation.ts'

/** How long the report of a process may stand after another one has taken its identity. */
const boundMs = 10_000

/** For each server, the process that holds its Lease and the process that wrote its report. */
function reportersOf(
  { leases, reports }: AgreementState,
  processOf: ReadonlyMap<string, string>,
): { server: string; holder: string | undefined; reporter: string | undefined }[] {
  return [...new Set([...leases.keys(), ...reports.keys()])].map((server) => ({
    server,
    holder: leases.get(server)?.lease.spec?.holderIdentity,
    reporter: processOf.get(reports.get(server)?.writer ?? ''),
  }))
}

const processesOf = ({ runs }: History): ReadonlyMap<string, string> =>
  new Map(runs.map(({ writer, process }) => [writer, process]))

/**
 * Identity before entry (0018-coordinated-discovery.md). Who reports speaks for itself and holds its Lease; who gives that
 * back has no report left; and where another process holds it the report is gone within 10 seconds, if that one could work.
 */
export const ownReport: Checker = {
  name: 'own-report',
  *check(history) {
    const processOf = processesOf(history)
    const leaving = new Map(history.runs.map(({ process, leavingMs }) => [process, leavingMs]))
    const ghosts = new Map<string, { readonly fromMs: number; isReported: boolean }>()
    for (const { commit, state, apply } of replay(history)) {
      const { atMs, writer, changes } = commit
      const before = new Map(state.reports)
      const held = new Map(reportersOf(state, processOf).map((each) => [each.server, each]))
      apply()
      const isReport = changes.some(({ key }) => key === docHashesKey)
      for (const [server, report] of isReport ? state.reports : []) {
        const holder = state.leases.get(server)?.lease.spec?.holderIdentity
        if (before.get(server) === report || processOf.get(writer) === holder) continue
        yield { atMs, text: `${writer} reported for ${server}, but ${holder} holds the Lease` }
      }
      for (const { kind, key } of changes) {
        if (kind !== 'delete' || !key.startsWith(leasePrefix)) continue
        const { holder = '', reporter } = held.get(key.slice(leasePrefix.length)) ?? {}
        // A collector that has seen it expire may ask the very server whose Lease it is to delete it.
        if (processOf.get(writer) !== holder || (leaving.get(holder) ?? atMs + 1) > atMs) continue
        if (reporter === holder)
          yield { atMs, text: `${writer} gave its Lease back with its report standing` }
      }
      const standing = new Set<string>()
      for (const { server, holder, reporter } of reportersOf(state, processOf)) {
        if (holder === undefined || reporter === undefined || holder === reporter) continue
        const ghost = `${reporter} ${holder}`
        standing.add(ghost)
        const since = ghosts.get(ghost) ?? { fromMs: standsFrom(history, atMs), isReported: false }
        ghosts.set(ghost, since)
        if (since.isReported || atMs - since.fromMs <= boundMs) continue
        if (!couldWork(history, holder, since.fromMs, atMs)) continue
        since.isReported = true
        yield {
          atMs,
          text: `the report of ${reporter} still stands, though ${holder} has the Lease of ${server}`,
        }
      }
      for (const ghost of ghosts.keys()) if (!standing.has(ghost)) ghosts.delete(ghost)
    }
  },
}

/**
 * Documents that say `consistent` are right: at some moment between question and answer every process that held a Lease had
 * reported, and all had reported the same.
 */
export const trueConsistency: Checker = {
  name: 'true-consistency',
  *check(history) {
    const claims = history.observations.filter(({ view, end }) => view === 'consistent' && end?.shown)
    if (claims.length === 0) return
    const processOf = processesOf(history)
    const moments: { readonly revision: number; readonly isTrue: boolean }[] = []
    for (const { commit, state, apply } of replay(history)) {
      if (!commit.changes.some(({ key }) => key === docHashesKey || key.startsWith(leasePrefix))) continue
      apply()
      const voices = reportersOf(state, processOf).filter(({ holder }) => holder !== undefined)
      const hashes = new Set(voices.map(({ server }) => state.reports.get(server)?.report.builtInAPIHash))
      const isTrue = hashes.size === 1 && voices.every(({ holder, reporter }) => holder === reporter)
      moments.push({ revision: commit.changes.at(-1)?.revision ?? 0, isTrue })
    }
    for (const { startRevision, servedBy, end } of claims) {
      if (!end) continue
      const from = moments.findLastIndex(({ revision }) => revision <= startRevision)
      const seen = moments.slice(Math.max(0, from)).filter(({ revision }) => revision <= end.endRevision)
      if (seen.some(({ isTrue }) => isTrue)) continue
      const text = `${[...servedBy]} said that all servers serve the same; it was never so from revision ${startRevision} to ${end.endRevision}`
      yield { atMs: end.endMs, text }
    }
  },
}
