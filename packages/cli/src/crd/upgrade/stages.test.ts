import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageVersionNameOf } from '@strata/api'
import { type CrdForTest, crdForTest } from '../plan/crd-for-test.ts'
import { decideCrdPlan } from '../plan/decide-crd-plan.ts'
import { stagesOf, versionsToCompare } from './stages.ts'

const hook = 'https://h.example.dev'
const rows: readonly [
  name: string,
  live: CrdForTest,
  wanted: CrdForTest,
  stored: readonly string[],
  compared: readonly string[],
][] = [
  ['applied as it is', { versions: 'v1*' }, { versions: 'v1 v2*' }, ['v2'], ['v1']],
  [
    'objects may be in two versions: each is read in both',
    { versions: 'v1 v2* v3', stored: ['v1', 'v2'] },
    { versions: 'v2*' },
    ['v2', 'v2'],
    ['v1', 'v2'],
  ],
  [
    'a version that is not served cannot be read',
    { versions: 'v1- v2*', stored: ['v1', 'v2'] },
    { versions: 'v2*' },
    ['v2', 'v2'],
    ['v2'],
  ],
  ['by a bridge', { versions: 'v1* v2' }, { versions: 'v2 v3*' }, ['v2', 'v3'], ['v1']],
  [
    'a webhook converts: the storage version, and what it is asked for first',
    { versions: 'v1* v2', webhook: hook },
    { versions: 'v2*', webhook: hook },
    ['v2', 'v2'],
    ['v1', 'v2'],
  ],
]
for (const [name, liveText, wantedText, stored, compared] of rows) {
  test(`stages of an upgrade: ${name}`, () => {
    const [live, wanted] = [crdForTest(liveText), crdForTest(wantedText)]
    const plan = decideCrdPlan({ live, wanted })
    assert.deepEqual(stagesOf(live, wanted, plan.steps).map(storageVersionNameOf), stored)
    assert.deepEqual(versionsToCompare(live, plan), compared)
  })
}
