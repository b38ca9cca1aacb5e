import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMeta, OwnerReference } from '@strata/api'
import {
  type DependentDecision,
  type DependentLook,
  decideDependent,
  type OwnerState,
} from './decide-dependent.ts'

const owner = (uid: string): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid })

interface Case {
  readonly owners: Readonly<Record<string, OwnerState>>
  readonly metadata?: ObjectMeta
  readonly orphanedBy?: string
  readonly look?: Partial<DependentLook>
}

function decide({ owners, metadata = {}, orphanedBy, look = {} }: Case): DependentDecision {
  return decideDependent({
    metadata: { ...metadata, ownerReferences: Object.keys(owners).map(owner) },
    stateOf: ({ uid }) => owners[uid] ?? 'unknown',
    hasDependents: false,
    isInCircle: false,
    wasOrphanedBy: ({ uid }) => uid === orphanedBy,
    ...look,
  })
}

const cases: readonly [name: string, seen: Case, want: string][] = [
  ['no owner: it stays', { owners: {} }, 'keep'],
  ['its owner is there: it stays', { owners: { a: 'present' } }, 'keep'],
  ['its only owner is gone: it goes', { owners: { a: 'absent' } }, 'delete Background'],
  ['all its owners are gone: it goes', { owners: { a: 'absent', b: 'absent' } }, 'delete Background'],
  ['one of two is gone: only the reference goes', { owners: { a: 'absent', b: 'present' } }, 'detach a'],
  ['one of two waits for it: the other keeps it', { owners: { a: 'waiting', b: 'present' } }, 'detach a'],
  ['an owner that cannot be looked up is not gone', { owners: { a: 'unknown' } }, 'look-again'],
  ['nor is it when the others are', { owners: { a: 'absent', b: 'unknown' } }, 'look-again'],
  ['its owner waits for it: it goes', { owners: { a: 'waiting' } }, 'delete Background'],
  [
    'its owner waits, and it has dependents: they go first',
    { owners: { a: 'waiting' }, look: { hasDependents: true } },
    'delete Foreground',
  ],
  [
    'they own each other: neither may block the other',
    { owners: { a: 'waiting' }, look: { hasDependents: true, isInCircle: true } },
    'delete Foreground unblock',
  ],
  ['it is on its way already', { owners: { a: 'absent' }, metadata: { deletionTimestamp: 'then' } }, 'keep'],
  [
    'its own dependents are to stay',
    { owners: { a: 'absent' }, metadata: { finalizers: ['orphan'] } },
    'delete Orphan',
  ],
  [
    'its own dependents are to go first',
    { owners: { a: 'absent' }, metadata: { finalizers: ['foregroundDeletion'] } },
    'delete Foreground',
  ],
  ['its owner was deleted with the orphan policy', { owners: { a: 'absent' }, orphanedBy: 'a' }, 'detach a'],
]
for (const [name, seen, want] of cases) {
  test(`dependent: ${name}`, () => {
    const decision = decide(seen)
    const detail =
      decision.do === 'detach'
        ? decision.owners.map(({ uid }) => uid)
        : decision.do === 'delete'
          ? [decision.propagation, ...(decision.unblock ? ['unblock'] : [])]
          : []
    assert.equal([decision.do, ...detail].join(' '), want)
  })
}
