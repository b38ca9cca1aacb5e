import { conflict, customResourceDefinitions } from '@strata/api'
import { storageRoot } from '../codec/index.ts'
import { type Commit, type Key, type Revision, readOne, type Store } from '../store/index.ts'

/** The key of one group. Only its revision counts; the value is for debugging. */
const turnKey = (group: string): Key => `${storageRoot}strata.dev/names/${group}`

/**
 * The names of a group are assigned to its CRDs one decision at a time, by any server. Otherwise:
 *
 * 1. A CRD with a kind is deleted while two others wait for that kind.
 * 2. Server A decides about the first of them and writes it.
 * 3. A, or server B, decides about the second by a cache that does not show this yet.
 * 4. Each decision writes another object, so no guard breaks, and both CRDs have the kind.
 */
export interface NamesTurn {
  readonly key: Key
  readonly revision: Revision | 'absent'
}

/** A decision based on everything up to this moment, and written in this turn, knows all earlier decisions. */
export async function takeTurn(store: Store, group: string, signal: AbortSignal): Promise<NamesTurn> {
  const key = turnKey(group)
  const entry = await readOne(store, key, signal)
  return { key, revision: entry?.revision ?? 'absent' }
}

/** A store that commits only if no other decision was made since the turn was taken; otherwise it answers 409. */
export function inTurn(store: Store, { key, revision }: NamesTurn, name: string): Store {
  const value = Buffer.from(JSON.stringify({ decided: name }))
  return {
    read: (...asked) => store.read(...asked),
    list: (...asked) => store.list(...asked),
    watch: (...asked) => store.watch(...asked),
    currentRevision: (...asked) => store.currentRevision(...asked),
    compact: (...asked) => store.compact(...asked),
    close: () => store.close(),
    commit: async ({ writes, guards }: Commit, signal) => {
      const outcome = await store.commit(
        { writes: [...writes, { kind: 'put', key, value }], guards: [...guards, { key, revision }] },
        signal,
      )
      if (outcome.outcome === 'refused' && outcome.broken.some(({ guard }) => guard.key === key)) {
        throw conflict(
          customResourceDefinitions,
          name,
          'the names of another CRD of its group were decided meanwhile',
        )
      }
      return outcome
    },
  }
}
