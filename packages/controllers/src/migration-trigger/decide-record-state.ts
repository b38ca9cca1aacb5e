import { type AcceptedEpoch, persistedSince, type StorageState, unknownHash } from '@strata/api'
import { isAccepted } from './decide-acceptance.ts'
import type { ObservedMigration } from './observed-migration.ts'
import type { RecordView } from './source-view.ts'
import type { Acceptance } from './trigger-options.ts'

export interface RecordStateFacts {
  readonly record: RecordView
  readonly state: StorageState | undefined
  /** A user deleted the state meanwhile, which means that it must not be trusted. */
  readonly wasDeleted: boolean
  readonly migrations: readonly ObservedMigration[]
  readonly accept: Acceptance
}

export interface RecordState {
  readonly persisted: readonly string[]
  readonly accepted?: AcceptedEpoch
  /** Objects may be stored only in the version and under the key that all servers write now. */
  readonly isClean: boolean
}

/**
 * The versions that may be stored are those of the record, as hashes. It does not matter how often or how late the trigger
 * reads it (docs/reference/upstream-behaviour.md, X5): a version that came and went is in the record, which was written
 * before the first object. After a proof next to the data, the servers remove versions from the record. A migration with a
 * weaker accepted proof, or through the API, is bound to an epoch, and older versions are left out here.
 */
export function decideRecordState(facts: RecordStateFacts): RecordState {
  const { record, state, wasDeleted } = facts
  const { common } = record
  if (record.isFrozen && common.agreed) return { persisted: [common.hash], isClean: true }
  const shown = acceptedIn(facts)
  const epoch = Math.max(standingEpoch(facts), ...shown)
  const kept = persistedSince(record.persisted, epoch)
  // The user who deleted the state did not trust it. The record says the same, so it must not restore it.
  const isDoubted = wasDeleted || (state?.status?.persistedStorageVersionHashes ?? []).includes(unknownHash)
  const isUnknown = (isDoubted && shown.length === 0) || kept.length === 0
  const known = [...new Set(kept.map(({ hash }) => hash))].toReversed()
  const hashes = known.filter((hash) => hash !== unknownHash)
  const persisted = isUnknown || hashes.length < known.length ? [unknownHash, ...hashes] : hashes
  const isClean =
    !isUnknown &&
    common.agreed &&
    kept.every(({ hash, writeKey }) => hash === common.hash && writeKey === record.writeKey)
  const isNeeded = kept.length < record.persisted.length
  return { persisted, ...(isNeeded ? { accepted: { recordUID: record.uid, epoch } } : {}), isClean }
}

/**
 * A record that was created again counts its epochs from 1: an epoch that was accepted under the earlier record does not apply.
 */
function standingEpoch({ record, state }: RecordStateFacts): number {
  const { recordUID, epoch = 0 } = state?.status?.accepted ?? {}
  return recordUID === record.uid && epoch <= record.epoch ? epoch : 0
}

/** The epochs that accepted migrations are bound to. */
function acceptedIn({ record, state, migrations, accept }: RecordStateFacts): readonly number[] {
  return migrations
    .filter((each) => isAccepted(each, accept) && belongs(each, record, state))
    .map(({ target }) => target?.epoch ?? 0)
}

/**
 * Whether a migration is about this record and this StorageState. Without the second check: a user deletes a wrong
 * StorageState, and the migration of last week, which still exists, restores it.
 */
function belongs(
  { target, mark, createdAt }: ObservedMigration,
  { uid, epoch, createdAt: recordedAt }: RecordView,
  state: StorageState | undefined,
): boolean {
  if (state === undefined || target?.how !== 'record' || target.epoch === undefined) return false
  // By the uid, where it is known: the record of aggregated servers has the time of another clock.
  const isOfRecord = target.recordUID === undefined ? createdAt >= recordedAt : target.recordUID === uid
  if (target.epoch > epoch || !isOfRecord) return false
  return mark ? mark.stateUID === state.metadata.uid : createdAt >= String(state.metadata.creationTimestamp)
}
