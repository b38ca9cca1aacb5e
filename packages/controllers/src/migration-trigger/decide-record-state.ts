import { type ProvenEpoch, type StorageState, unknownHash } from '@strata/api'
import { isAccepted } from './decide-acceptance.ts'
import type { MigrationSight } from './migration-sight.ts'
import type { RecordView } from './source-view.ts'
import type { Acceptance } from './trigger-options.ts'

export interface RecordStateFacts {
  readonly record: RecordView
  readonly state: StorageState | undefined
  /** Somebody deleted the state while we looked: that says that nothing is to be believed. */
  readonly wasDeleted: boolean
  readonly migrations: readonly MigrationSight[]
  readonly accept: Acceptance
}

export interface RecordState {
  readonly persisted: readonly string[]
  readonly proven?: ProvenEpoch
  /** Nothing but what all write now, under the key that all write now, may be stored. */
  readonly isClean: boolean
}

/**
 * What may be stored, from what was proven last and from what the record says was written since. It does not matter how
 * often or how late anyone looks (behaviour.md, X5): a version that came and went is in the record, which was written
 * before the first object was.
 */
export function decideRecordState(facts: RecordStateFacts): RecordState {
  const { record } = facts
  const { common, gapEpoch = 0, written } = record
  if (record.isFrozen && common.agreed) {
    const proven = { recordUID: record.uid, epoch: record.epoch }
    return { persisted: [common.hash], proven, isClean: true }
  }
  const proven = provenEpoch(facts)
  if (proven === undefined) return { persisted: [unknownHash], isClean: false }
  const { epoch } = proven
  // Older than what the record remembers: then it does not say what was written since.
  const isKnown = written !== undefined && written.since <= epoch && gapEpoch <= epoch
  const since = written?.encodings.filter((each) => each.epoch >= epoch) ?? []
  const hashes = [...new Set(since.map(({ hash }) => hash))]
  const persisted = isKnown && hashes.length > 0 ? hashes.toReversed() : [unknownHash, ...hashes.toReversed()]
  const isClean =
    isKnown &&
    common.agreed &&
    since.every(({ hash, writeKey }) => hash === common.hash && writeKey === record.writeKey)
  return { persisted, proven, isClean }
}

function provenEpoch({ record, state, wasDeleted, migrations, accept }: RecordStateFacts) {
  const { uid: recordUID } = record
  const before = state?.status?.proven
  // One that was made anew counts its epochs anew: what was proven under the other says nothing about this one's.
  const standing = before?.recordUID === recordUID && before.epoch <= record.epoch ? before.epoch : undefined
  // Also if it was made and whoever made it could say no more: nothing was ever said under it.
  const isNew = state?.status === undefined && !wasDeleted
  const first = isNew && knowsAll(record) ? record.epoch : undefined
  const shown = migrations
    .filter((each) => isAccepted(each, accept) && belongs(each, record, state))
    .map(({ target }) => target?.epoch ?? 0)
  const epoch = Math.max(standing ?? 0, first ?? 0, ...shown)
  return epoch === 0 ? undefined : { recordUID, epoch }
}

/**
 * The servers say that nothing else may be stored: because nothing else was ever written, as on a new store, or because
 * they have read everything. Then nobody has to migrate a resource to know it. Of keys they say nothing, so that there
 * must not have been another.
 */
function knowsAll({ epoch, gapEpoch = 0, persisted, written, writeKey, common }: RecordView): boolean {
  return (
    common.agreed &&
    persisted?.length === 1 &&
    persisted[0] === common.hash &&
    gapEpoch <= epoch &&
    written?.since === 1 &&
    written.encodings.every((each) => each.writeKey === writeKey)
  )
}

/**
 * Whether a migration speaks of this record, and of this state of the storage. Without the second: somebody deletes the
 * StorageState because it cannot be right, and the migration of last week, which is still there, makes it what it was.
 */
function belongs(
  { target, mark, createdAt }: MigrationSight,
  { epoch, createdAt: recordedAt }: RecordView,
  state: StorageState | undefined,
): boolean {
  if (state === undefined || target?.how !== 'record' || target.epoch === undefined) return false
  if (target.epoch > epoch || createdAt < recordedAt) return false
  return mark ? mark.stateUID === state.metadata.uid : createdAt >= String(state.metadata.creationTimestamp)
}
