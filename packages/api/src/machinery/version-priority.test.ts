import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byVersionPriority } from './version-priority.ts'

const cases: ReadonlyArray<[name: string, sorted: readonly string[]]> = [
  ['stable versions come before betas and alphas', ['v1', 'v3beta1', 'v9alpha1']],
  ['newer ones come before older ones, by number', ['v11', 'v10', 'v2', 'v1']],
  ['so do betas and alphas', ['v2beta10', 'v2beta2', 'v1beta3', 'v11alpha2', 'v3alpha1']],
  ['names of another shape come last, by the alphabet', ['v1alpha1', 'foo1', 'foo10', 'v1-beta', 'v1gamma1']],
]
for (const [name, sorted] of cases) {
  test(`version priority: ${name}`, () => {
    assert.deepEqual(sorted.toReversed().sort(byVersionPriority), sorted)
    assert.deepEqual(sorted.toSorted(byVersionPriority), sorted)
  })
}
