import {
  type Commit,
  type CommitOutcome,
  compareKeys,
  type Entry,
  OutcomeUnknown,
  type Page,
  type Reading,
  type Revision,
  type Store,
  StoreUnavailable,
} from '@strata/server/store'
import { agreementPrefix, incarnationKey, isClientKey, leasePrefix } from './keys.ts'
import type { Connected } from './sabotaged-store.ts'

const never = new AbortController().signal

/** Reports a commit as done that the store never got. */
async function pretend({ writes }: Commit, store: Store, signal: AbortSignal): Promise<CommitOutcome> {
  const revision = await store.currentRevision(signal)
  return { outcome: 'committed', revision, revisions: writes.map(() => revision) }
}

/** Rule 5: a commit without writes is confirmed without asking. */
export function confirmUnasked(store: Store): Store {
  return {
    ...store,
    commit: (commit, signal) =>
      commit.writes.length === 0 ? pretend(commit, store, signal) : store.commit(commit, signal),
  }
}

/**
 * Rule 6: every answer names the revision of the last watch event as the newest. A revision that went back would be noticed
 * (rule 19).
 */
export function withoutQuorum(store: Store): Store {
  let told = 0
  let incarnation: Entry | undefined
  const lying = <T extends { readonly revision: Revision }>(answer: T): T =>
    told > 0 ? { ...answer, revision: told } : answer
  return {
    ...store,
    read: async (keys, signal) => {
      const isBarrier = keys.length === 1 && keys[0] === incarnationKey
      // The barrier's question is answered at once: on the way to the store and back the watch would catch up.
      if (isBarrier && told > 0 && incarnation) return { revision: told, entries: [incarnation] }
      const reading = await store.read(keys, signal)
      if (isBarrier) [incarnation] = reading.entries
      return lying(reading)
    },
    list: async (range, signal) => {
      const page = await store.list(range, signal)
      return range.revision === undefined ? lying(page) : page
    },
    commit: async (commit, signal) => lying(await store.commit(commit, signal)),
    watch: async function* (prefix, after, signal) {
      for await (const batch of store.watch(prefix, after, signal)) {
        // Before the server hears of it: an answer that is older than what it has heard would be noticed (rule 19).
        told = Math.max(told, batch.revision)
        yield batch
      }
    },
  }
}

/**
 * Rules 11 and 12: the Leases that a record is judged by were read before the record. The answer carries the revision of
 * now: an older one would be noticed (rule 19).
 */
export function readLeasesFirst(store: Store): Store {
  const early: Page[] = []
  return {
    ...store,
    read: async (keys, signal) => {
      // A server that changes a record reads its projections with it, and then the Leases.
      if (keys.length === 1 || !keys[0]?.startsWith(agreementPrefix)) return store.read(keys, signal)
      const leases = await store.list({ prefix: leasePrefix, limit: 500 }, signal)
      const reading = await store.read(keys, signal)
      early.push(leases)
      return reading
    },
    list: async (range, signal) => {
      const page = range.prefix === leasePrefix ? early.shift() : undefined
      return page ? { ...page, revision: await store.currentRevision(signal) } : store.list(range, signal)
    },
  }
}

/** A range of the past is answered with what stands now, under the revision that was asked for. */
export function answerPastWithPresent(store: Store): Store {
  return {
    ...store,
    list: async ({ revision, ...range }, signal) => {
      const page = await store.list(range, signal)
      return revision === undefined ? page : { ...page, revision }
    },
  }
}

/** Reports a commit with an unknown outcome as not written. */
export function callUnknownUnwritten(store: Store): Store {
  return {
    ...store,
    commit: async (commit, signal) => {
      try {
        return await store.commit(commit, signal)
      } catch (error) {
        if (!(error instanceof OutcomeUnknown) || !commit.writes.some(({ key }) => isClientKey(key)))
          throw error
        throw new StoreUnavailable('nothing was written')
      }
    },
  }
}

/** Rule 14: what was given up is sent all the same. */
export function ignoreDeadlines(store: Store): Store {
  return {
    ...store,
    commit: (commit, signal) =>
      store.commit(commit, commit.writes.some(({ key }) => isClientKey(key)) ? never : signal),
  }
}

/** Each read of a single record returns the record of the first read. */
export function rememberFirstReading(store: Store): Store {
  const first = new Map<string, Reading>()
  return {
    ...store,
    read: async (keys, signal) => {
      const [key = '', ...others] = keys
      if (others.length > 0 || !key.startsWith(agreementPrefix)) return store.read(keys, signal)
      const reading = await store.read(keys, signal)
      const { entries } = first.get(key) ?? reading
      if (!first.has(key)) first.set(key, reading)
      return { ...reading, entries }
    },
  }
}

/** Rule 1: a process that takes an identity sees no records, and so no entries of the process before. */
export function hideOldEntries(store: Store): Store {
  return {
    ...store,
    list: async (range, signal) => {
      const page = await store.list(range, signal)
      return range.prefix === agreementPrefix ? { ...page, entries: [], remaining: 0 } : page
    },
  }
}

const textOf = (value: Uint8Array): string => Buffer.from(value).toString()

/** Whether the commit writes a record with an entry of the process, or without one. */
function recordsIn(
  { writes }: Commit,
  process: string,
): { readonly key: string; readonly isNamed: boolean }[] {
  return writes.flatMap((write) =>
    write.kind === 'put' && write.key.startsWith(agreementPrefix)
      ? [{ key: write.key, isNamed: textOf(write.value).includes(process) }]
      : [],
  )
}

/** Rule 7: before the first entry is taken out, the Lease is given back. */
export function leaseGoesFirst(store: Store, { serverID, process }: Connected): Store {
  const named = new Set<string>()
  let isGone = false
  return {
    ...store,
    commit: async (commit, signal) => {
      const records = recordsIn(commit, process())
      if (!isGone && records.some(({ key, isNamed }) => named.has(key) && !isNamed)) {
        isGone = true
        await store.commit(
          { writes: [{ kind: 'delete', key: `${leasePrefix}${serverID}` }], guards: [] },
          signal,
        )
      }
      const outcome = await store.commit(commit, signal)
      for (const { key, isNamed } of records) if (isNamed) named.add(key)
      return outcome
    },
  }
}

/** Rule 2: that an entry is stored is said some seconds before it is. */
export function acknowledgeEntriesEarly(store: Store, { process, later }: Connected): Store {
  const told = new Set<string>()
  return {
    ...store,
    commit: (commit, signal) => {
      const first = recordsIn(commit, process()).filter(({ key, isNamed }) => isNamed && !told.has(key))
      if (first.length === 0) return store.commit(commit, signal)
      for (const { key } of first) told.add(key)
      later(5_000, () => void store.commit(commit, never).catch(() => {}))
      return pretend(commit, store, signal)
    },
  }
}

/** Rule 1: a server that has held its Lease sees it for ever, and its entries are stored even if another process holds it. */
export function believeIdentityHeld(store: Store, { serverID, process }: Connected): Store {
  const leaseKey = `${leasePrefix}${serverID}`
  let held: Entry | undefined
  return {
    ...store,
    list: async (range, signal) => {
      const page = await store.list(range, signal)
      if (range.prefix !== leasePrefix) return page
      const own = page.entries.find(({ key }) => key === leaseKey)
      if (own && textOf(own.value).includes(process())) held = own
      if (!held || own === held) return page
      const others = page.entries.filter(({ key }) => key !== leaseKey)
      return { ...page, entries: [...others, held].sort((a, b) => compareKeys(a.key, b.key)) }
    },
    commit: (commit, signal) => {
      const isEntry = commit.writes.some(({ key }) => key.startsWith(agreementPrefix))
      const guards = commit.guards.filter(({ key }) => !isEntry || key !== leaseKey)
      return store.commit({ ...commit, guards }, signal)
    },
  }
}
