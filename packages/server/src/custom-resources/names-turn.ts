import { conflict, customResourceDefinitions } from '@strata/api'
import { storageRoot } from '../codec/index.ts'
import { type Commit, type Key, type Revision, readOne, type Store } from '../store/index.ts'

/** Of one group. Nothing but its revision counts; what it says is for people. */
const turnKey = (group: string): Key => `${storageRoot}strata.dev/names/${group}`

/**
 * The names of a group are given to its definitions one decision at a time, whichever server decides.
 *
 * Without it: a definition that has a kind is deleted while two others wait for that kind. The server that decides about
 * the first of them writes it down, and decides about the second by a cache that does not show this yet; or another server
 * does. Each writes another object, so that no guard breaks, and both have the kind.
 */
export interface NamesTurn {
  readonly key: Key
  readonly revision: Revision | 'absent'
}

/** Whoever decides by everything up to this moment, and writes in this turn, knows all earlier decisions. */
export async function takeTurn(store: Store, group: string, signal: AbortSignal): Promise<NamesTurn> {
  const key = turnKey(group)
  const entry = await readOne(store, key, signal)
  return { key, revision: entry?.revision ?? 'absent' }
}

/** A store that writes only while nobody else has decided since the turn was taken; it answers 409 if somebody has. */
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
