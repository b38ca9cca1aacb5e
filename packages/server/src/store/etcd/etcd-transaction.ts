import { invariant } from '@strata/world'
import { guardHolds } from '../guard-holds.ts'
import type { BrokenGuard, Commit, CommitOutcome, Guard } from '../store.ts'
import type { Compare, TxnRequest, TxnResponse } from './etcd-messages.ts'

/**
 * A commit as an etcd transaction. The failure branch reads every guarded key, so that a refusal shows all broken guards as of
 * the very transaction that refused.
 */
export function toTxn({ writes, guards }: Commit): TxnRequest {
  return {
    compares: guards.map(toCompare),
    success: writes,
    failure: guards.map(({ key }) => ({ kind: 'range', range: { key } })),
  }
}

function toCompare({ key, revision, value }: Guard): Compare {
  if (value !== undefined) return { key, target: 'value', equals: value }
  return revision === 'absent'
    ? { key, target: 'createRevision', equals: 0 }
    : { key, target: 'modRevision', equals: revision }
}

export function toOutcome(commit: Commit, { revision, succeeded, ranges }: TxnResponse): CommitOutcome {
  if (succeeded) {
    // etcd gives all writes of a transaction one revision; without a change it repeats the newest.
    return { outcome: 'committed', revision, revisions: commit.writes.map(() => revision) }
  }
  const [first, ...rest] = commit.guards
    .map((guard, index): BrokenGuard => ({ guard, current: ranges[index]?.entries[0] }))
    .filter(({ guard, current }) => !guardHolds(guard, current))
  invariant(first, 'etcd refused a transaction whose guards all hold')
  return { outcome: 'refused', revision, broken: [first, ...rest] }
}
