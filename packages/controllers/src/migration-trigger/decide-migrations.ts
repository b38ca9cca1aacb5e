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
  /** As long as all have to agree, they have; else why not. */
  readonly hold: { readonly isReady: boolean; readonly because: string }
  /** As it will be when this is carried out; undefined if it is made only then. */
  readonly state: StorageState | undefined
  readonly persisted: readonly string[]
  /** Where a record tells in which epoch a migration ran, so that one of anybody's can be believed or not: its uid. */
  readonly recordUID: string | undefined
  /** First sight, reset, or another hash: whoever made a migration before could not know. */
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
  /** What may be stored now, where that does not follow from the target. */
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
 * Which migrations go and whether one comes: at most one of ours for a resource, made for what all write now. The migration KEP:
 * ongoing ones are stopped by deleting them when hashes change or stop being identical.
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
    // Where there are records, whoever runs a migration binds it to an epoch, and says itself that it was in vain.
    return !isRecorded && phase === 'unfinished' && (isNews || wanted.kind === 'nothing')
      ? 'it was begun before this was known'
      : undefined
  }
  // It tells when and how the resource became what it is.
  if (isRecorded && isClean && phase === 'succeeded') return undefined
  // One that has failed stops nothing, and tells how often it was tried. Were it deleted: a server that comes and goes
  // would have a migration that always fails begin anew each time, without a pause.
  if (wanted.kind === 'nothing') return phase === 'failed' ? undefined : wanted.because
  if (mark.target !== wanted.target)
    return `it was made for ${mark.target}, and ${wanted.target} is written now`
  if (isOfAnotherRecord(migration, facts)) return 'the agreement record was created again'
  if (state !== undefined && mark.stateUID !== state.metadata.uid) return 'the StorageState was created again'
  if (!isClean && !answers(migration, wanted.target, state, persisted))
    return 'more may be stored than when it was made'
  return undefined
}

/**
 * A record that was made anew counts its epochs anew. Otherwise: it comes to the epoch in which a migration of the other one
 * has succeeded; that seems to answer, and nothing is ever brought to what is written now.
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
  // It is made again in any case, with what may be stored then.
  if (phase === 'failed') return true
  if (phase === 'succeeded' && mark.isAccounted) return false
  // Of a record the target is an epoch, and the list follows from that.
  if (mark.persisted.length === 0) return true
  // Nobody would ever bring the rest to where it was made for.
  if (phase === 'succeeded' && !wentTo(migration, target)) return false
  return persisted.every((each) => mark.persisted.includes(each))
}

/** Later and later: what fails for a reason fails again, and each try costs the servers a pass over everything. */
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
