import {
  type Change,
  type Commit,
  createMemoryStore,
  type MemoryData,
  type Store,
} from '@strata/server/store'
import type { ObservedCommit } from './history.ts'

/**
 * One process's connection to the shared data. What it commits is noted with the writer's name, in the same
 * step in which it happens, so that the notes are in the store's own order.
 */
export function createRecordingStore(
  data: MemoryData,
  writer: string,
  nowMs: () => number,
  note: (commit: ObservedCommit) => void,
  /** Changes as they are shown to whoever looks at the history: in the clear. */
  opened: (change: Change) => Change = (change) => change,
  /** When a commit was sent. */
  sentMs: (commit: Commit) => number = nowMs,
): Store {
  const delivered = new WeakSet<Commit>()
  const store = createMemoryStore(data)
  return {
    ...store,
    // Without a wait between acting and noting: another's commit could slip in between.
    commit: async (commit) => {
      const before = data.revision
      const outcome = data.commit(commit)
      if (outcome.outcome === 'committed' && data.revision > before) {
        note({
          atMs: nowMs(),
          writer,
          commit,
          changes: changesBetween(data, before).map(opened),
          repeated: delivered.has(commit),
          sentMs: sentMs(commit),
        })
      }
      delivered.add(commit)
      return outcome
    },
  }
}

function changesBetween(data: MemoryData, before: number): readonly Change[] {
  return data.changesSince('/', before, Number.POSITIVE_INFINITY).changes
}
