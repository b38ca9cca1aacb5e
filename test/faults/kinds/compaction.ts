import { deadline } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { bothStores, type FaultKind } from '../fault-kind.ts'

export const compaction: FaultKind = {
  name: 'compaction',
  summary: 'the store forgets all its history: watches that resume in it are told 410',
  stores: bothStores,
  targets: () => ['store'],
  async begin({ stage, watchers, note }) {
    const limit = deadline(nodeClock, 20_000)
    const store = await stage.home.open()
    try {
      const revision = await store.currentRevision(limit.signal)
      await store.compact(revision, limit.signal)
      note(`history before ${revision} is gone`)
    } catch (error) {
      // The store may be down: another fault has it.
      note(`not compacted: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      limit.dispose()
      await store.close()
    }
    for (const watcher of watchers) watcher.hangUp()
    return async () => {}
  },
}
