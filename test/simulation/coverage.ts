import type { ProtocolRules } from '@strata/server'
import type { History } from './history.ts'

/** How often something happened, by what it is called. */
export type Counts = Record<string, number>

export function count(counts: Counts, name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}

export function addCounts(sum: Counts, counts: Counts): void {
  for (const [name, by] of Object.entries(counts)) count(sum, name, by)
}

/** The same decisions, and which way each of them went. */
export function countDecisions(rules: ProtocolRules, counts: Counts): ProtocolRules {
  const went = (decision: string, way: string): void => count(counts, `${decision}: ${way}`)
  return {
    ...rules,
    decideAgreement: (facts, ...more) => {
      const status = rules.decideAgreement(facts, ...more)
      const { previous } = facts
      const raised = previous && status.epoch > previous.epoch ? 'the epoch is raised' : 'the epoch stands'
      went('decideAgreement', previous ? raised : 'a record begins')
      went('decideAgreement', status.agreedVersion === undefined ? 'nothing agreed' : 'agreed')
      for (const each of status.conditions)
        went('decideAgreement', `${each.type} ${each.status} ${each.reason}`)
      for (const { reason } of status.persisted ?? [])
        if (reason) went('decideAgreement', `persisted ${reason}`)
      if (status.recordingGap) went('decideAgreement', `recording gap ${status.recordingGap.reason}`)
      if (status.looseUntilSettled?.length)
        went('decideAgreement', 'a loose process was expelled and left a mark')
      const wasSelected = previous?.selectedVersion
      if (wasSelected !== undefined && status.selectedVersion !== wasSelected) {
        went('decideAgreement', status.selectedVersion ? 'the selection moves' : 'the selection is forgotten')
      }
      return status
    },
    decideBrokenGuard: (...asked) => {
      const after = rules.decideBrokenGuard(...asked)
      went('decideBrokenGuard', after.do)
      return after
    },
    decideBrokenGap: (...asked) => {
      const after = rules.decideBrokenGap(...asked)
      went('decideBrokenGap', after.do)
      return after
    },
    decideBrokenUnseen: (...asked) => {
      const after = rules.decideBrokenUnseen(...asked)
      went('decideBrokenUnseen', after.do)
      return after
    },
    decideConsistent: (...asked) => {
      const decided = rules.decideConsistent(...asked)
      went('decideConsistent', JSON.stringify(decided))
      return decided
    },
    decideViewAge: (...asked) => {
      const problem = rules.decideViewAge(...asked)
      went(
        'decideViewAge',
        problem === undefined ? 'young enough' : asked[0] === undefined ? 'unknown' : 'too old',
      )
      return problem
    },
    decideWriteKey: (...asked) => {
      const decided = rules.decideWriteKey(...asked)
      went('decideWriteKey', decided.keyProblem ? 'refuses' : decided.wantedKey ? 'waits' : 'writes')
      if (decided.reliesOnLeases) went('decideWriteKey', 'relies on Leases')
      return decided
    },
  }
}

/** What a world was made of and what came of it, besides decisions. */
export function countHistory(history: History): Counts {
  const counts: Counts = { ...history.counts }
  for (const { repeated } of history.commits) if (repeated) count(counts, 'fault: commit repeated')
  for (const { kind, isStatus, end } of history.operations)
    count(counts, `client: ${kind}${isStatus ? ' of status' : ''} ${end?.outcome ?? 'unanswered'}`)
  for (const { end } of history.watches) count(counts, `watch: ${end?.how ?? 'open'}`)
  for (const { how } of history.lists) count(counts, `list: ${how}`)
  for (const { part } of history.runs) {
    const gates = part.identity === false ? 'unseen' : part.records === false ? 'unrecorded' : part.guarantee
    count(counts, `server: ${part.form} ${gates}`)
  }
  return counts
}

/** One line for each, with how many of the worlds had it and how often each world had it on average. */
export function describeCounts(counts: Counts, reached: Counts, worlds: number): string {
  return Object.keys(counts)
    .sort()
    .map((name) => {
      const times = counts[name] ?? 0
      const share = ((100 * (reached[name] ?? 0)) / worlds).toFixed(0)
      return `${String(times).padStart(9)}  ${(times / worlds).toFixed(2).padStart(9)} a world  in ${share.padStart(3)}% of worlds  ${name}`
    })
    .join('\n')
}
