import type { HistoryFindings } from '@strata/server/history'

/** Not 1: a script that asks "is it clean?" must not take a mistyped flag, or a history that is gone, for a no. */
export const notSeen = 2

/**
 * 0 says that everything is as it was recorded, and nothing less may: `audit-history && go-on` would go on past what is
 * encrypted under a key that was not given, or past a whole history of which nobody can tell who wrote it.
 */
export function decideExitCode({
  exceptions,
  whole,
  unseen,
  ambiguous,
}: Pick<HistoryFindings, 'exceptions' | 'whole' | 'unseen' | 'ambiguous'>): number {
  if (exceptions > 0) return 1
  return whole && unseen === 0 && ambiguous === 0 ? 0 : notSeen
}
