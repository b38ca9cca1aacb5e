import { persistedHashesOf, type StorageState, unknownHash } from '@strata/api'
import { isAccepted } from './decide-acceptance.ts'
import { type ObservedMigration, wentTo } from './observed-migration.ts'
import type { CommonHash } from './source-view.ts'
import type { Acceptance } from './trigger-options.ts'

export interface ObservedStateFacts {
  readonly state: StorageState | undefined
  /** What servers write now, as far as known. */
  readonly hashes: readonly string[]
  readonly common: CommonHash
  /** The last read is too old, or a change was missed. */
  readonly isUnsure: boolean
  readonly migrations: readonly ObservedMigration[]
  readonly accept: Acceptance
}

export interface ObservedState {
  readonly persisted: readonly string[]
  readonly isClean: boolean
  /** The migration on whose word the list has shrunk: it must not be taken for one again. */
  readonly accounted?: ObservedMigration
}

/**
 * What may be stored, where nothing remembers what was written but this very list: it grows with each hash that is seen,
 * each once (docs/reference/upstream-behaviour.md, X7), and shrinks when a migration to what all write now has ended well
 * enough. That migration must have been made for the hash and for this state (X4): current is what it is when one looks, not
 * what it was when the migration began.
 */
export function decideObservedState(facts: ObservedStateFacts): ObservedState {
  const { state, hashes, common, isUnsure, migrations, accept } = facts
  if (state === undefined) return { persisted: [unknownHash], isClean: false }
  const before = persistedHashesOf(state)
  const shown =
    common.agreed &&
    !isUnsure &&
    // Whoever sees it change now has not yet cancelled what was made for the hash when it was the current one before.
    state.status?.currentStorageVersionHash === common.hash
      ? migrations.find((each) => isAccepted(each, accept) && speaksFor(each, common.hash, state))
      : undefined
  const known = shown && common.agreed ? [common.hash] : before
  const persisted = [...new Set([...(isUnsure ? [unknownHash] : []), ...known, ...hashes])]
  return {
    persisted,
    isClean: common.agreed && persisted.length === 1 && persisted[0] === common.hash,
    ...(shown ? { accounted: shown } : {}),
  }
}

/**
 * Whether a migration was made for this hash and this state, and for all that may be stored. Each counts once. Otherwise:
 * it has ended, and the list has shrunk to A; B comes and goes while no leader looks, and the reporter adds B to the list;
 * the next leader finds the same finished migration to A, and takes B away again.
 *
 * And it must have brought objects there. Otherwise: one is made for A; between two looks the servers go to B, whoever
 * runs it begins anew with B and succeeds, and the servers go back to A; the list says A, and everything is stored in B.
 */
function speaksFor(migration: ObservedMigration, hash: string, state: StorageState): boolean {
  const { mark } = migration
  if (mark?.target !== hash || mark.stateUID !== state.metadata.uid || mark.isAccounted) return false
  if (!wentTo(migration, hash)) return false
  return persistedHashesOf(state).every((each) => each === hash || mark.persisted.includes(each))
}
