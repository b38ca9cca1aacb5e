import type { Commit, Entry, Guard, Revision, Store } from '@strata/server/store'
import {
  agreementPrefix,
  customPluralOf,
  definitionPrefix,
  isClientKey,
  leasePrefix,
  namesPrefix,
  noncePrefix,
  storageVersionPrefix,
} from './keys.ts'

/** Whose connection it is: some lies are about the server that is lied to. */
export interface Connected {
  readonly serverID: string
  /** As Lease and entries name it. */
  readonly process: () => string
  /** Carries on what the server believes to be done. */
  readonly later: (delayMs: number, act: () => void) => void
}

const writesTo = ({ writes }: Commit, isMeant: (key: string) => boolean): boolean =>
  writes.some(({ key }) => isMeant(key))

/** The record itself, or its nonce, which moves with it. */
const isRecord = (key: string): boolean => key.startsWith(agreementPrefix) || key.startsWith(noncePrefix)

/** The same store, with other commits. */
const changing = (store: Store, change: (commit: Commit) => Commit): Store => ({
  ...store,
  commit: (commit, signal) => store.commit(change(commit), signal),
})

/** Leaves guards out of some commits. */
const stripping =
  (isMeant: (commit: Commit) => boolean, isStripped: (guard: Guard, commit: Commit) => boolean) =>
  (store: Store): Store =>
    changing(store, (commit) =>
      isMeant(commit)
        ? { ...commit, guards: commit.guards.filter((guard) => !isStripped(guard, commit)) }
        : commit,
    )

/** Whether it is the commit of a client's write, or of a no-op. */
const isOfClients = (commit: Commit): boolean => commit.writes.length === 0 || writesTo(commit, isClientKey)

/** Lets the last writer win. */
export const dropObjectGuards = stripping(
  () => true,
  ({ key }) => isClientKey(key),
)

/** Rule 3: objects are written whatever their agreement record says by now. */
export const dropRecordGuards = stripping(isOfClients, ({ key }) => isRecord(key))

/** An entry is removed whether or not its server has taken a Lease meanwhile. */
export const dropAbsenceGuards = stripping(
  (commit) => writesTo(commit, isRecord),
  ({ key, ...guard }) => key.startsWith(leasePrefix) && 'revision' in guard && guard.revision === 'absent',
)

/** Rule 19: what is guarded by a record is guarded by its revision alone, which repeats after a restore. */
export const dropNonceGuards = stripping(
  () => true,
  ({ key }) => key.startsWith(noncePrefix),
)

/** Rule 4: objects are written whatever their definition says by now. */
export const dropDefinitionGuards = stripping(isOfClients, ({ key }) => key.startsWith(definitionPrefix))

/** Rule 4: entries are published whatever the definition says by now. */
export const dropPublicationGuards = stripping(
  (commit) => writesTo(commit, isRecord),
  ({ key }) => key.startsWith(definitionPrefix),
)

/** Names are decided whoever else has decided meanwhile. */
export const dropTurnGuards = stripping(
  (commit) => writesTo(commit, (key) => key.startsWith(namesPrefix)),
  ({ key }) => key.startsWith(namesPrefix),
)

/** Rule 4: what was encoded by one definition is stored under the next one, as if that said the same. */
export function renewDefinitionGuards(store: Store): Store {
  return {
    ...store,
    commit: async (commit, signal) => {
      const outcome = await store.commit(commit, signal)
      if (outcome.outcome === 'committed' || !writesTo(commit, (key) => customPluralOf(key) !== undefined)) {
        return outcome
      }
      const moved = new Map(outcome.broken.map(({ guard, current }) => [guard.key, current]))
      const isDefinition = (key: string): boolean => key.startsWith(definitionPrefix)
      if (![...moved].every(([key, current]) => isDefinition(key) && current)) return outcome
      const guards = commit.guards.map((guard) => {
        const current = moved.get(guard.key)
        return current ? { key: guard.key, revision: current.revision } : guard
      })
      return store.commit({ ...commit, guards }, signal)
    },
  }
}

/** Changes the record first and its projection in a commit of its own. */
export function splitProjection(store: Store): Store {
  return {
    ...store,
    commit: async (commit, signal) => {
      const isProjection = ({ key }: Commit['writes'][number]): boolean =>
        key.startsWith(storageVersionPrefix)
      if (!writesTo(commit, isRecord)) return store.commit(commit, signal)
      const record = { ...commit, writes: commit.writes.filter((write) => !isProjection(write)) }
      const outcome = await store.commit(record, signal)
      if (outcome.outcome === 'refused') return outcome
      await store.commit({ writes: commit.writes.filter(isProjection), guards: [] }, signal)
      return outcome
    },
  }
}

/** The same store, and the newest revision that its answers have told of. A lie that is older would be noticed (rule 19). */
function hearing(store: Store): { readonly store: Store; readonly newest: () => Revision } {
  let newest = 0
  const heard = <T extends { readonly revision: Revision }>(answer: T): T => {
    newest = Math.max(newest, answer.revision)
    return answer
  }
  const heardBy: Store = {
    ...store,
    read: async (keys, signal) => heard(await store.read(keys, signal)),
    list: async (range, signal) => heard(await store.list(range, signal)),
    commit: async (commit, signal) => heard(await store.commit(commit, signal)),
    watch: async function* (prefix, after, signal) {
      for await (const batch of store.watch(prefix, after, signal)) yield heard(batch)
    },
  }
  return { store: heardBy, newest: () => newest }
}

/** Takes the Leases of others that could not be read to be absent, and does not let the store say otherwise. */
export function believeFailedReads(below: Store): Store {
  const { store, newest } = hearing(below)
  let own: Entry | undefined
  const isLease = (key: string): boolean => key.startsWith(leasePrefix)
  return {
    ...store,
    read: async (keys, signal) => {
      const reading = await store.read(keys, signal)
      // A server reads no single Lease but its own.
      own = reading.entries.find((entry) => entry && isLease(entry.key)) ?? own
      return reading
    },
    list: async (range, signal) => {
      try {
        return await store.list(range, signal)
      } catch (error) {
        if (!isLease(range.prefix) || !own) throw error
        return { revision: newest(), entries: [own], remaining: 0 }
      }
    },
    commit: (commit, signal) => {
      const guards = commit.guards.filter(({ key, revision }) => revision !== 'absent' || !isLease(key))
      return store.commit({ ...commit, guards }, signal)
    },
  }
}
