import { type Clock, type Log, sleep } from '@strata/world'
import type { Revision, Store } from './store.ts'

/**
 * Compacts history that is older than one interval: each turn compacts to the newest revision of the turn before. Several servers
 * may do this to one file; compacting twice to the same revision does nothing. (etcd has a protocol of its own for this, which
 * upstream's servers share.)
 */
export async function compactPeriodically(
  options: { readonly store: Store; readonly clock: Clock; readonly intervalMs: number; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, intervalMs, log } = options
  if (intervalMs === 0) return
  let before: Revision | undefined
  while (!signal.aborted) {
    try {
      await sleep(clock, intervalMs, signal)
      const last = before
      before = await store.currentRevision(signal)
      // Older than before: the store was restored from a backup, and `last` belongs to the old timeline.
      if (last !== undefined && last > 0 && last <= before) await store.compact(last, signal)
    } catch (error) {
      if (!signal.aborted) log.warn('compaction failed; trying again later', { error: String(error) })
    }
  }
}
