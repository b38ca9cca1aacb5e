import type { HistoryFindings } from './findings.ts'

/** Not 1: a script must not take a wrong flag or a compacted history for an exception. */
export const notSeen = 2

/**
 * 0 only if every write is as recorded. Otherwise `audit && next` would continue although some writes are encrypted
 * under a key that was not given, or have no known writer.
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
