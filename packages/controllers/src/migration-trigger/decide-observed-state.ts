import { persistedHashesOf, type StorageState, unknownHash } from '@strata/api'
import { isAccepted } from './decide-acceptance.ts'
import { type ObservedMigration, wentTo } from './observed-migration.ts'
import type { CommonHash } from './source-view.ts'
import type { Acceptance } from './trigger-options.ts'

export interface ObservedStateFacts {
  readonly state: StorageState | undefined
  /** The hashes that servers write now, as far as known. */
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
  /** The migration that made the list shrink: it must not count again. */
  readonly accounted?: ObservedMigration | undefined
}

/**
 * The hashes that may be stored, if only this list remembers them. It grows with each new hash, each once
 * (docs/reference/upstream-behaviour.md, X7), and shrinks after an accepted migration to the hash that all servers write now.
 * That migration must have been created for this hash and this state (X4): the current hash is that of now, not that of the
 * start of the migration.
 */
export function decideObservedState(facts: ObservedStateFacts): ObservedState {
  const { state, hashes, common, isUnsure, migrations, accept } = facts
  if (state === undefined) return { persisted: [unknownHash], isClean: false }
  const before = persistedHashesOf(state)
  const shown =
    common.agreed &&
    !isUnsure &&
    // If the hash has just come back, migrations from its first time are not cancelled yet.
    state.status?.currentStorageVersionHash === common.hash
      ? migrations.find((each) => isAccepted(each, accept) && speaksFor(each, common.hash, state))
      : undefined
  const known = shown && common.agreed ? [common.hash] : before
  const persisted = [...new Set([...(isUnsure ? [unknownHash] : []), ...known, ...hashes])]
  return {
    persisted,
    isClean: common.agreed && persisted.length === 1 && persisted[0] === common.hash,
    accounted: shown,
  }
}

/**
 * Whether a migration was created for this hash and this state, and for all hashes that may be stored. Each counts once.
 * Otherwise: (1) it ends, and the list shrinks to A; (2) B comes and goes without a leader, and a reporter adds B to the list;
 * (3) the next leader finds the same finished migration to A, and removes B again.
 *
 * And it must have migrated objects to that hash. Otherwise: (1) it is created for A; (2) between two reads the servers change
 * to B, and the migrator starts again with B and succeeds; (3) the servers change back to A: the list says A, and all objects
 * are stored in B.
 */
function speaksFor(migration: ObservedMigration, hash: string, state: StorageState): boolean {
  const { mark } = migration
  if (mark?.target !== hash || mark.stateUID !== state.metadata.uid || mark.isAccounted) return false
  if (!wentTo(migration, hash)) return false
  return persistedHashesOf(state).every((each) => each === hash || mark.persisted.includes(each))
}
