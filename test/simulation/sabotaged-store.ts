import type { Commit, Entry, Store } from '@strata/server/store'
import { agreementPrefix, isClientKey, leasePrefix, storageVersionPrefix } from './keys.ts'

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

/** Takes the Leases of others that could not be read to be absent, and does not let the store say otherwise. */
export function believeFailedReads(store: Store): Store {
  let own: Entry | undefined
  const isLease = (key: string): boolean => key.startsWith(leasePrefix)
  return {
    ...store,
    read: async (keys, signal) => {
      const reading = await store.read(keys, signal)
      // Nobody reads a single Lease but its own.
      own = reading.entries.find((entry) => entry && isLease(entry.key)) ?? own
      return reading
    },
    list: async (range, signal) => {
      try {
        return await store.list(range, signal)
      } catch (error) {
        if (!isLease(range.prefix) || !own) throw error
        return { revision: own.revision, entries: [own], remaining: 0 }
      }
    },
    commit: (commit, signal) => {
      const guards = commit.guards.filter(({ key, revision }) => revision !== 'absent' || !isLease(key))
      return store.commit({ ...commit, guards }, signal)
    },
  }
}
