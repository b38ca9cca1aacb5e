import { severalAtOnce } from '@strata/world'
import type { Key, Revision, Store } from './store.ts'

/** More would take minutes; for an older backup the operator should have etcd raise the revision (`--bump-revision`). */
export const mostPassedRevisions = 100_000
const perRound = 1_000
const atOnce = 32

/**
 * Moves the store's revision past `target` by repeated writes to `key`, because no open store can skip revisions. Otherwise,
 * after a restore, revisions that clients have seen would be given to other changes, and a client that resumes a watch, or
 * writes under one of them, would not notice. Returns the reached revision, which is not past `target` if that is too far away.
 */
export async function passRevisions(
  store: Store,
  key: Key,
  target: Revision,
  signal: AbortSignal,
): Promise<Revision> {
  const value = Buffer.from('{}')
  for (;;) {
    const revision = await store.currentRevision(signal)
    const missing = target - revision + 1
    if (missing <= 0 || missing > mostPassedRevisions) return revision
    const round = Array.from({ length: Math.min(missing, perRound) })
    await severalAtOnce(atOnce, round, async () => {
      await store.commit({ writes: [{ kind: 'put', key, value }], guards: [] }, signal)
    })
  }
}
