import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAfterRefusal } from './prune-definition.ts'

const cases = [
  ['stale', 'strata migrate lamps'],
  ['unknown', 'strata migrate lamps'],
  ['observed clean', 'strata prune lamps --accept observed-clean, if that is enough'],
  ['disagreed', 'strata status lamps'],
  // It was proven of another definition.
  ['proven', 'strata verify lamps'],
] as const

for (const [verdict, next] of cases) {
  test(`prune: refused, ${verdict}: next is ${next}`, () =>
    assert.equal(nextAfterRefusal('lamps', { verdict }), next))
}

test('prune: refused because objects were set aside: next is strata repair', () =>
  assert.equal(nextAfterRefusal('lamps', { verdict: 'stale', setAside: 1 }), 'strata repair lamps'))
