import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Namespace } from '@strata/api'
import { decideAccount } from './decide-account.ts'

const alive: Namespace = { metadata: { name: 'ns' }, status: { phase: 'Active' } }
const account = { metadata: { name: 'default' } }

const cases: ReadonlyArray<[name: string, namespace: Namespace | undefined, has: boolean, want: string]> = [
  ['a new namespace gets its account', alive, false, 'create'],
  ['a namespace that has it is left alone', alive, true, 'nothing'],
  [
    'one that is being deleted gets nothing any more',
    { ...alive, metadata: { name: 'ns', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    false,
    'nothing',
  ],
  ['a terminating namespace gets nothing', { ...alive, status: { phase: 'Terminating' } }, false, 'nothing'],
  ['a deleted namespace gets nothing', undefined, false, 'nothing'],
]
for (const [name, namespace, has, want] of cases) {
  test(`service account: ${name}`, () =>
    assert.equal(decideAccount(namespace, has ? account : undefined).do, want))
}
