import { type ExitWord, worstOf } from '../output/exit-codes.ts'
import type { Inspection } from './inspect-cluster.ts'

/** A blocked version is an answer, not a failure: only what was not seen changes the exit code. */
export function decideInspectExit({ facts, notSeen, reading }: Inspection): ExitWord {
  if (facts.length === 0 && notSeen.length === 0) return 'unknown'
  return worstOf([
    'proven',
    ...facts.map(({ unseen }): ExitWord => (unseen.length > 0 ? 'unknown' : 'proven')),
    ...notSeen.map((): ExitWord => 'notSeen'),
    ...(reading && !reading.isExact ? (['unknown'] as const) : []),
  ])
}
