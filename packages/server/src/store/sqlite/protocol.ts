import { invariant } from '@strata/world'
import type { WriteFault } from '../errors.ts'
import type { BrokenGuard, Commit, CommitOutcome, Revision } from '../store.ts'

/** How many commits go into one transaction at most. */
export const commitsPerGroup = 512

/**
 * The state of a commit in the current group. The cells are shared memory, because the choice between `StoreUnavailable` and
 * `OutcomeUnknown` must have one answer: the first side to move the cell away from `waiting` wins, the writer to begin the commit
 * or the caller to withdraw it.
 */
export const cell = { waiting: 0, begun: 1, withdrawn: 2 } as const

/** Flat, because a message of many small objects costs more than its commits. */
export interface CommitsRequest {
  readonly kind: 'commits'
  readonly count: number
  /**
   * Per commit: the number of guards; each guard's key and revision (0: absent), or, for a guard of bytes, their
   * length as -1 - length; the number of writes; each write's key and length of value (-1: delete).
   */
  readonly operations: readonly (string | number)[]
  /** The values, one after the other: per commit, those of its guards, then those of its writes. */
  readonly bytes: Uint8Array
}

export type Request =
  | CommitsRequest
  /** Compacts the past before `revision`, one bounded step at a time. */
  | { readonly kind: 'compact'; readonly revision: Revision }
  | { readonly kind: 'close' }

export const result = { withdrawn: 0, committed: 1, refused: 2 } as const

/** The entry that broke a guard. */
export interface Current {
  readonly value: Uint8Array
  readonly revision: Revision
  readonly createRevision: Revision
}

export interface CommitsReply {
  readonly kind: 'commits'
  /** The newest revision if the group wrote anything, else 0. */
  readonly moved: Revision
  /**
   * Per commit: a `result`. Then, if committed, the revision and that of each write; if refused, the
   * revision, the number of broken guards and the index of each.
   */
  readonly results: readonly number[]
  /** One per broken guard, in order. */
  readonly currents: readonly (Current | undefined)[]
}

/** `foreign`: of another program or another release. `lost`: the store holds less than was acknowledged. */
export type OpenProblem = 'foreign' | 'lost' | 'unavailable'

export type Reply =
  | { readonly kind: 'ready'; readonly store: number | undefined; readonly isRestored: boolean }
  | { readonly kind: 'refused to open'; readonly why: OpenProblem; readonly message: string }
  | CommitsReply
  | { readonly kind: 'compacted'; readonly done: boolean; readonly newest: Revision }
  | { readonly kind: 'withdrawn' }
  /** `unknown` if the transaction may have been written nevertheless. */
  | {
      readonly kind: 'failed'
      readonly unknown: boolean
      readonly message: string
      readonly fault: WriteFault | undefined
    }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'closed' }

export function packCommits(commits: readonly Commit[]): CommitsRequest {
  const operations: (string | number)[] = []
  let length = 0
  for (const { guards, writes } of commits) {
    operations.push(guards.length)
    for (const { key, revision, value } of guards) {
      operations.push(key, value ? -1 - value.byteLength : revision === 'absent' ? 0 : revision)
      length += value?.byteLength ?? 0
    }
    operations.push(writes.length)
    for (const write of writes) {
      operations.push(write.key, write.kind === 'put' ? write.value.byteLength : -1)
      if (write.kind === 'put') length += write.value.byteLength
    }
  }
  // One copy into one buffer, which is transferred. The callers' own buffers cannot be: they are needed to answer the request and
  // to feed the watch cache.
  const bytes = new Uint8Array(length)
  let offset = 0
  const append = (value: Uint8Array): void => {
    bytes.set(value, offset)
    offset += value.byteLength
  }
  for (const { guards, writes } of commits) {
    for (const { value } of guards) if (value) append(value)
    for (const write of writes) if (write.kind === 'put') append(write.value)
  }
  return { kind: 'commits', count: commits.length, operations, bytes }
}

/** One outcome per commit; `undefined` for one that was withdrawn. */
export function unpackOutcomes(
  commits: readonly Commit[],
  reply: CommitsReply,
): (CommitOutcome | undefined)[] {
  const { results, currents } = reply
  let at = 0
  let nextCurrent = 0
  const take = (): number => {
    const number = results[at++]
    invariant(number !== undefined, 'the writer answered less than it was asked')
    return number
  }
  const takeBroken = ({ guards }: Commit): BrokenGuard => {
    const guard = guards[take()]
    invariant(guard !== undefined, 'the writer refused for a guard that was not sent')
    const current = currents[nextCurrent++]
    return { guard, current: current && { key: guard.key, ...current } }
  }
  return commits.map((commit) => {
    const kind = take()
    if (kind === result.withdrawn) return undefined
    const revision = take()
    if (kind === result.committed)
      return { outcome: 'committed', revision, revisions: commit.writes.map(take) }
    const count = take()
    const first = takeBroken(commit)
    const others = Array.from({ length: count - 1 }, () => takeBroken(commit))
    return { outcome: 'refused', revision, broken: [first, ...others] }
  })
}
