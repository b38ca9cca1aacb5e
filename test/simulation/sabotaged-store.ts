import type { Commit, Store } from '@strata/server/store'
import { agreementPrefix, isClientKey, storageVersionPrefix } from './keys.ts'

/** Changes the record first and its projection in a commit of its own. */
export function splitProjection(store: Store): Store {
  return {
    ...store,
    commit: async (commit, signal) => {
      const isProjection = ({ key }: Commit['writes'][number]): boolean =>
        key.startsWith(storageVersionPrefix)
      if (!commit.writes.some(({ key }) => key.startsWith(agreementPrefix)))
        return store.commit(commit, signal)
      const record = { ...commit, writes: commit.writes.filter((write) => !isProjection(write)) }
      const outcome = await store.commit(record, signal)
      if (outcome.outcome === 'refused') return outcome
      await store.commit({ writes: commit.writes.filter(isProjection), guards: [] }, signal)
      return outcome
    },
  }
}

/** Lets the last writer win. */
export function dropObjectGuards(store: Store): Store {
  return {
    ...store,
    commit: (commit, signal) =>
      store.commit({ ...commit, guards: commit.guards.filter(({ key }) => !isClientKey(key)) }, signal),
  }
}
