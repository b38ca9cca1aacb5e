import { type Commit, OutcomeUnknown, type Store, StoreUnavailable } from '@strata/server/store'
import { isClientKey } from '../keys.ts'
import type { Sabotage } from '../sabotage.ts'

/** Every so many batches of a watch are lost. */
const lostBatch = 7

/** Between the server and its adapter, as if the adapter itself did it. */
const broken = (change: (store: Store) => Partial<Store>) => (store: Store) => ({
  ...delegate(store),
  ...change(store),
})

/** An adapter is an object of a class: its methods are not its own fields. */
function delegate(store: Store): Store {
  return {
    read: (keys, signal) => store.read(keys, signal),
    list: (range, signal) => store.list(range, signal),
    currentRevision: (signal) => store.currentRevision(signal),
    commit: (commit, signal) => store.commit(commit, signal),
    watch: (prefix, after, signal) => store.watch(prefix, after, signal),
    compact: (revision, signal) => store.compact(revision, signal),
    close: () => store.close(),
  }
}

const withoutGuards = ({ writes, guards }: Commit): Commit => ({
  writes,
  guards: guards.filter(({ key }) => !isClientKey(key)),
})

/** Adapters that do not keep what a store promises, and who must notice. */
export const adapterSabotages: readonly Sabotage[] = [
  {
    name: 'unknown-called-unwritten',
    breaks: 'a commit of unknown outcome is called certainly not written',
    caughtBy: ['true-outcomes', 'no-lost-write'],
    wrapStore: broken((store) => ({
      commit: async (commit, signal) => {
        try {
          return await store.commit(commit, signal)
        } catch (error) {
          throw error instanceof OutcomeUnknown ? new StoreUnavailable(error.message) : error
        }
      },
    })),
    shape: { theme: 'storms', clients: 4, clientRestMs: 100 },
  },
  {
    name: 'unknown-sent-again',
    breaks: 'a commit of unknown outcome is sent once more',
    caughtBy: ['true-outcomes', 'no-lost-write'],
    wrapStore: broken((store) => ({
      commit: async (commit, signal) => {
        try {
          return await store.commit(commit, signal)
        } catch (error) {
          if (!(error instanceof OutcomeUnknown)) throw error
          return store.commit(commit, signal)
        }
      },
    })),
    shape: { theme: 'storms', clients: 4, clientRestMs: 100 },
  },
  {
    name: 'guard-dropped',
    breaks: 'objects are written whatever stands there by now',
    caughtBy: ['true-outcomes', 'no-lost-write'],
    wrapStore: broken((store) => ({
      commit: (commit, signal) => store.commit(withoutGuards(commit), signal),
    })),
    shape: { theme: 'calm', clients: 4, clientRestMs: 100 },
  },
  {
    name: 'watch-with-a-gap',
    breaks: 'a watch leaves out changes and says nothing of it',
    caughtBy: ['true-watches', 'complete-watches', 'fresh-reads', 'true-lists', 'no-flip-back'],
    wrapStore: broken((store) => ({
      watch: async function* (prefix, after, signal) {
        let count = 0
        for await (const batch of store.watch(prefix, after, signal)) {
          if (++count % lostBatch !== 0) yield batch
        }
      },
    })),
    shape: { theme: 'calm', watchers: 2, clients: 4, clientRestMs: 100 },
  },
]
