/**
 * The store interface: all that the server knows about persistence. It is shaped like etcd, the store that Kubernetes' semantics
 * grew on: keys, values, one global order of revisions, conditional transactions, ranges at a revision, watches from a revision,
 * compaction.
 *
 * Three promises that every backend keeps, and that `contract.ts` tests on each:
 *
 * - A lost race is an outcome, and is returned.
 * - A store that cannot answer is an error, and is thrown: `StoreUnavailable` if certainly nothing was written, `OutcomeUnknown`
 *   if something may have been.
 * - Unknown is never reported as absent.
 */

/** Ordered by the bytes of its UTF-8 form. */
export type Key = string

/** A position in the store's single order of changes. Whole, positive, below 2^53. */
export type Revision = number

export interface Entry {
  readonly key: Key
  readonly value: Uint8Array
  /** The revision of the change that wrote this value. */
  readonly revision: Revision
  /** The revision of the change that created the key, since it last did not exist. */
  readonly createRevision: Revision
  /** The key that the stored bytes are encrypted under; absent if they are not. Only `encryption/` sets it, never a backend. */
  readonly under?: string
}

/** Holds when `key` was last written at `revision`, or, for `absent`, does not exist. */
export interface RevisionGuard {
  readonly key: Key
  readonly revision: Revision | 'absent'
  readonly value?: undefined
}

/**
 * Holds when `key` has exactly these bytes. Revisions repeat after the store is restored from a backup; random bytes never do
 * (docs/design/agreement.md, rule 19).
 */
export interface ValueGuard {
  readonly key: Key
  readonly value: Uint8Array
  readonly revision?: undefined
}

export type Guard = RevisionGuard | ValueGuard

export type Write =
  | {
      readonly kind: 'put'
      readonly key: Key
      readonly value: Uint8Array
      /** The key to encrypt it under (`encryption/`); backends store the given bytes. */
      readonly under?: string
    }
  | { readonly kind: 'delete'; readonly key: Key }

/**
 * Several writes under several guards, all or nothing. There may be several guards, because a write of an object is also guarded
 * by the agreement record it was encoded under (docs/design/agreement.md, rule 3). A commit without writes confirms the guards
 * (rule 5) and moves no revision. A key occurs at most once in `writes`; a delete of an absent key changes nothing.
 */
export interface Commit {
  readonly writes: readonly Write[]
  readonly guards: readonly Guard[]
}

export interface BrokenGuard {
  readonly guard: Guard
  /** The entry that broke the guard, read in the transaction that refused. */
  readonly current: Entry | undefined
}

export type CommitOutcome =
  | {
      readonly outcome: 'committed'
      /** The store's revision after the commit. */
      readonly revision: Revision
      /** One per write, in order. Backends may give the writes of one commit one revision or several. */
      readonly revisions: readonly Revision[]
    }
  | {
      readonly outcome: 'refused'
      readonly revision: Revision
      readonly broken: readonly [BrokenGuard, ...BrokenGuard[]]
    }

export interface Reading {
  readonly revision: Revision
  /** One per key, in order. `undefined` means absent at that revision. */
  readonly entries: readonly (Entry | undefined)[]
}

export interface Range {
  readonly prefix: Key
  /** Only keys greater than this one. */
  readonly after?: Key | undefined
  readonly limit?: number | undefined
  /** The past revision to read. Throws `RevisionCompacted` if it is gone, `RevisionInFuture` if it does not exist yet. */
  readonly revision?: Revision | undefined
}

export interface Page {
  /** The revision that was read: `range.revision`, or the newest one. */
  readonly revision: Revision
  /** In the order of their keys. */
  readonly entries: readonly Entry[]
  /** How many more keys the range has beyond this page. */
  readonly remaining: number
}

export type Change =
  | {
      readonly kind: 'put'
      readonly key: Key
      readonly revision: Revision
      readonly value: Uint8Array
      readonly createRevision: Revision
      readonly under?: string
    }
  | { readonly kind: 'delete'; readonly key: Key; readonly revision: Revision }

/**
 * Changes in order. A batch completes everything under the prefix up to `revision`; changes of one revision are never in two
 * batches. A batch without changes only reports progress.
 */
export interface ChangeBatch {
  readonly revision: Revision
  readonly changes: readonly Change[]
}

export interface Store {
  /** Set if the store is known to have been restored from a backup before it was opened; the text says how it is known. */
  readonly restored?: string | undefined

  /** Reads several keys in one transaction. Linearizable: sees every commit that was acknowledged before. */
  read(keys: readonly Key[], signal: AbortSignal): Promise<Reading>

  /** Reads a range of keys. Linearizable unless a past revision is named. */
  list(range: Range, signal: AbortSignal): Promise<Page>

  /** The newest revision. Linearizable; the read barrier uses it (docs/design/agreement.md, rule 6). */
  currentRevision(signal: AbortSignal): Promise<Revision>

  /** If the signal is aborted: `StoreUnavailable` if the commit was never begun, `OutcomeUnknown` if it may still happen. */
  commit(commit: Commit, signal: AbortSignal): Promise<CommitOutcome>

  /**
   * Every change under `prefix` after revision `after`, once, in order, without gaps; resumes by itself when the connection
   * breaks. One repeat is allowed: after such a break, changes of the revision at which it resumed may come again, all of them
   * together. Throws `RevisionCompacted` if history is gone. Ends without an error when the signal is aborted, and throws when
   * the store is closed or lost for good.
   */
  watch(prefix: Key, after: Revision, signal: AbortSignal): AsyncIterable<ChangeBatch>

  /** Compacts the past before `revision`; the state at `revision` stays readable. */
  compact(revision: Revision, signal: AbortSignal): Promise<void>

  /** Ends all watches and releases all resources. */
  close(): Promise<void>
}

/** The part of a store for read-only callers. */
export type ReadableStore = Pick<Store, 'list' | 'currentRevision' | 'watch' | 'close'>

/** Limits that all backends keep, so that a commit that works on one works on all. */
export const storeLimits = {
  /** For guards, and for writes: etcd's default is 128 each, and a refusal reads as many keys as there are guards. */
  operationsPerCommit: 120,
  /** etcd's default for a whole request is 1.5 MiB. */
  bytesPerCommit: 1_400_000,
} as const

export async function readOne(store: Store, key: Key, signal: AbortSignal): Promise<Entry | undefined> {
  const { entries } = await store.read([key], signal)
  return entries[0]
}
