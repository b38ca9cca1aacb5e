import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageVersionHash } from '@strata/api'
import { migratedResource, type ObservedMigration, observedMigration } from './observed-migration.ts'

const metadata = { name: 'm', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' }
const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastUpdateTime: '2026-01-01T00:01:00Z',
})

type Row = [name: string, conditions: ReturnType<typeof condition>[], want: ObservedMigration['phase']]
const rows: readonly Row[] = [
  ['without a condition is not finished', [], 'unfinished'],
  ['that runs is not finished', [condition('Running')], 'unfinished'],
  ['that has succeeded', [condition('Succeeded')], 'succeeded'],
  ['that has failed', [condition('Failed')], 'failed'],
  ['that was running and has ended', [condition('Running', 'False'), condition('Failed')], 'failed'],
  ['that has not failed', [condition('Failed', 'False')], 'unfinished'],
]
for (const [name, conditions, want] of rows) {
  test(`migration sight: K12: a migration ${name}`, () => {
    assert.equal(observedMigration({ metadata, status: { conditions } }, 'Thing').phase, want)
  })
}

test('migration sight: K13: a migration is of its resource, whichever version it names', () => {
  const of = (resource: object) => migratedResource({ metadata, spec: { resource } })
  const things = { group: 'example.dev', resource: 'things' }
  assert.deepEqual(of({ ...things, version: 'v1' }), things)
  assert.deepEqual(of({ ...things, version: 'v2' }), things)
  assert.deepEqual(of(things), things)
  assert.deepEqual(of({ resource: 'secrets' }), { group: '', resource: 'secrets' })
  assert.equal(of({}), undefined)
})

test('migration sight: what a runner keeps in an annotation counts where the status has lost it', () => {
  const progress = { result: 'Proven', target: { how: 'record', epoch: 3 } }
  const annotations = { 'strata.dev/progress': JSON.stringify(progress) }
  const { result, target } = observedMigration(
    { metadata: { ...metadata, annotations }, status: {} },
    'Thing',
  )
  assert.deepEqual([result, target?.epoch], ['Proven', 3])
  const broken = observedMigration(
    { metadata: { ...metadata, annotations: { 'strata.dev/progress': 'no' } } },
    'Thing',
  )
  assert.equal(broken.result, undefined)
})

for (const [target, want] of [
  [{ how: 'discovery', hash: 'abc' }, 'abc'],
  [{ how: 'storageversion', encodingVersion: 'g.dev/v2' }, storageVersionHash('g.dev/v2', 'Thing')],
  [{ how: 'unpublished' }, undefined],
] as const) {
  test(`migration sight: X4: what a run was bound to, by ${target.how}`, () => {
    assert.equal(observedMigration({ metadata, status: { target } }, 'Thing').boundTo, want)
  })
}
