import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newMigration } from './new-migration.ts'

for (const [accept, want] of [
  ['proven', undefined],
  ['observed-clean', 'ObservedClean'],
  ['succeeded', 'ObservedClean'],
] as const) {
  test(`new migration: ${accept}: stored versions are pruned on ${want ?? 'nothing'} less than a proof`, () => {
    const home = { group: 'migration.k8s.io', versionName: 'v1alpha1' } as const
    const asked = { target: 'abc', attempt: 1, persisted: [] }
    const things = { group: 'example.dev', resource: 'things' }
    const { metadata } = newMigration(home, things, 'v1', 'u', asked, accept)
    assert.equal(metadata.annotations?.['strata.dev/accept'], want)
  })
}
