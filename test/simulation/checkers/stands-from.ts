import type { History } from '../history.ts'

/**
 * Since when the servers of this timeline have had to put right what a commit left. The state of a backup stands from the
 * restore on, not from the commit. Otherwise:
 *
 * 1. B takes its Lease at 595 ms. The record, which A wrote at 512 ms, still says that all have reported.
 * 2. A backup is taken.
 * 3. B registers at 822 ms. The record is right.
 * 4. The store is restored at 25,503 ms. The record is the one of step 1 again, and seems to be wrong for 25 seconds.
 */
export const standsFrom = ({ resumedMs = 0 }: Pick<History, 'resumedMs'>, atMs: number): number =>
  Math.max(atMs, resumedMs)
