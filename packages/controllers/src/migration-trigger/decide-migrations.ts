import type { StorageState } from '@strata/api'
import { type ObservedMigration, wentTo } from './observed-migration.ts'
import type { TriggerOptions } from './trigger-options.ts'

/** The target of a migration as a text, to be compared. */
export type Wanted =
  | { readonly kind: 'target'; readonly target: string }
  /** Running migrations continue, and no new one is created. */
  | { readonly kind: 'wait'; readonly because: string }
  /** It is unknown what servers write: a running migration cannot succeed. */
  | { readonly kind: 'nothing'; readonly because: string }

export interface MigrationsFacts {
  readonly wanted: Wanted
  /** Nothing else may be stored. */
  readonly isClean: boolean
  /** Whether all servers have agreed for long enough; else why not. */
  readonly hold: { readonly isReady: boolean; readonly because: string }
  /** The StorageState after this decision; undefined if the decision creates it. */
  readonly state: StorageState | undefined
  readonly persisted: readonly string[]
  /** The UID of the agreement record, if there is one: it shows in which epoch any migration ran. */
  readonly recordUID: string | undefined
  /** First sight, reset, or another hash: migrations that were created before are not about it. */
  readonly isNews: boolean
  readonly migrations: readonly ObservedMigration[]
  readonly wallMs: number
  readonly options: Pick<TriggerOptions, 'periodMs' | 'retryMaxMs'>
}

export interface Cancellation {
  readonly migration: ObservedMigration
  readonly because: string
}

export interface NewMigration {
  readonly target: string
  readonly attempt: number
  /** The hashes that may be stored now; empty if they follow from the target. */
  readonly persisted: readonly string[]
  readonly previousFailure?: string
}

export interface MigrationsDecision {
  readonly cancel: readonly Cancellation[]
  readonly create?: NewMigration
  readonly because: string
  readonly lookAgainMs?: number
}

/**
 * Decides which migrations to cancel and whether to create one: at most one of ours for a resource, to the version that all
 * servers write now. The migration KEP deletes ongoing migrations when hashes change or stop being identical.
 */
export function decideMigrations(facts: MigrationsFacts): MigrationsDecision {
  const { wanted, migrations } = facts
  const present = migrations.filter(({ isBeingDeleted }) => !isBeingDeleted)
  const cancel = present.flatMap((migration): Cancellation[] => {
    const because = whyCancelled(migration, facts)
    return because === undefined ? [] : [{ migration, because }]
  })
  const kept = present.filter(
    (each) => each.mark !== undefined && !cancel.some(({ migration }) => migration === each),
  )
  if (wanted.kind !== 'target') return { cancel, because: wanted.because }
  if (facts.isClean) return { cancel, because: 'no other version may be stored' }
  const { state, persisted } = facts
  const standing = kept.find((each) => answers(each, wanted.target, state, persisted))
  if (standing?.phase === 'unfinished') return { cancel, because: `${standing.name} is under way` }
  if (standing?.phase === 'succeeded') {
    return { cancel, because: `${standing.name} has succeeded, but without the required proof` }
  }
  if (!facts.hold.isReady) return { cancel, because: facts.hold.because }
  const create = { target: wanted.target, attempt: 1, persisted: knownNow(facts, wanted.target) }
  return standing
    ? retry(facts, standing, cancel, create)
    : { cancel, create, because: 'objects may be stored in another version than servers write now' }
}

function knownNow({ recordUID, persisted }: MigrationsFacts, target: string): readonly string[] {
  return recordUID !== undefined ? [] : [...new Set([...persisted, target])].sort()
}

function whyCancelled(migration: ObservedMigration, facts: MigrationsFacts): string | undefined {
  const { wanted, state, persisted, isNews, isClean } = facts
  const isRecorded = facts.recordUID !== undefined
  const { mark, phase } = migration
  if (wanted.kind === 'wait') return undefined
  if (mark === undefined) {
    // With a record, the migrator binds a migration to an epoch, and fails it by itself if the epoch has changed.
    return !isRecorded && phase === 'unfinished' && (isNews || wanted.kind === 'nothing')
      ? 'it started before the storage version was known'
      : undefined
  }
  // It shows users when and how the resource became clean.
  if (isRecorded && isClean && phase === 'succeeded') return undefined
  // A failed migration blocks nothing, and holds the number of attempts. Without it, a server that comes and goes
  // would restart a migration that always fails, each time without backoff.
  if (wanted.kind === 'nothing') return phase === 'failed' ? undefined : wanted.because
  if (mark.target !== wanted.target)
    return `its target is ${mark.target}, and servers write ${wanted.target} now`
  if (isOfAnotherRecord(migration, facts)) return 'the agreement record was created again'
  if (state !== undefined && mark.stateUID !== state.metadata.uid) return 'the StorageState was created again'
  if (!isClean && !answers(migration, wanted.target, state, persisted))
    return 'more versions may be stored than when it was created'
  return undefined
}

/**
 * A record that was created again counts its epochs from 1. Otherwise: it reaches the epoch in which a migration under the
 * deleted record has succeeded; that migration seems to answer, and no object is migrated to the current version.
 */
function isOfAnotherRecord({ target }: ObservedMigration, { recordUID }: MigrationsFacts): boolean {
  return recordUID !== undefined && target?.recordUID !== undefined && target.recordUID !== recordUID
}

function answers(
  migration: ObservedMigration,
  target: string,
  state: StorageState | undefined,
  persisted: readonly string[],
): boolean {
  const { mark, phase } = migration
  if (mark === undefined || state === undefined) return false
  if (mark.target !== target || mark.stateUID !== state.metadata.uid) return false
  // The retry is created with the hashes of that time.
  if (phase === 'failed') return true
  if (phase === 'succeeded' && mark.isAccounted) return false
  // With a record, the target is an epoch, and the hashes follow from that.
  if (mark.persisted.length === 0) return true
  // It migrated to another version: no process would migrate the objects to its target.
  if (phase === 'succeeded' && !wentTo(migration, target)) return false
  return persisted.every((each) => mark.persisted.includes(each))
}

/** Retries with backoff: a failure often repeats, and each attempt costs the servers a pass over all objects. */
function retry(
  { wallMs, options: { periodMs, retryMaxMs } }: MigrationsFacts,
  failed: ObservedMigration,
  cancel: readonly Cancellation[],
  create: NewMigration,
): MigrationsDecision {
  const attempts = failed.mark?.attempt ?? 1
  const waitMs = Math.min(retryMaxMs, periodMs * 2 ** Math.min(20, attempts - 1))
  const leftMs = waitMs - (wallMs - Date.parse(failed.endedAt ?? failed.createdAt))
  const because = `${failed.name} has failed${failed.message ? `: ${failed.message}` : ''}`
  if (leftMs > 0) return { cancel, because, lookAgainMs: Math.min(leftMs, waitMs) }
  const previousFailure = failed.message ? { previousFailure: failed.message } : {}
  return {
    cancel: [...cancel, { migration: failed, because: 'it has failed, and another one retries' }],
    create: { ...create, attempt: attempts + 1, ...previousFailure },
    because,
  }
}
