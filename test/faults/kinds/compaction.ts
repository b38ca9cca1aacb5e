import { deadline } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { bothStores, type FaultKind } from '../fault-kind.ts'
import type { StoreHome } from '../stage/store-home.ts'

/** The store forgets all its history; the state stays. Returns the revision. */
export async function compactAll(home: StoreHome): Promise<number> {
  const limit = deadline(nodeClock, 20_000)
  const store = await home.open()
  try {
    const revision = await store.currentRevision(limit.signal)
    await store.compact(revision, limit.signal)
    return revision
  } finally {
    limit.dispose()
    await store.close()
  }
}

export const compaction: FaultKind = {
  name: 'compaction',
  summary: 'the store compacts all its history: watches that resume in it get 410',
  stores: bothStores,
  targets: () => ['store'],
  async begin({ stage, watchers, note }) {
    try {
      note(`history before ${await compactAll(stage.home)} is gone`)
    } catch (error) {
      // The store may be slow or down: other faults overlap.
      note(`not compacted: ${error instanceof Error ? error.message : String(error)}`)
    }
    for (const watcher of watchers) watcher.hangUp()
    return async () => {}
  },
}
