import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrationLimits } from '@strata/controllers'
import { decidePlan, etaSecondsOf } from './plan-resource.ts'
import { RefusedObjects } from './refused-objects.ts'

const rows: readonly [refused: number, unknown: number, exit: string, because: RegExp][] = [
  [0, 0, 'rehearsed', /^no object would be refused$/],
  [1, 0, 'incomplete', /^1 object would be refused$/],
  [0, 2, 'unknown', /^of 2 objects a dry run cannot tell/],
  [3, 2, 'incomplete', /^3 objects would be refused, and of 2 it is unknown$/],
]
for (const [refused, unknown, exit, because] of rows) {
  test(`plan: ${refused} refused, ${unknown} unknown: ${exit}`, () => {
    const decided = decidePlan(refused, unknown)
    assert.equal(decided.exit, exit)
    assert.match(decided.because, because)
  })
}

test('plan: the wait and a second pass count only without a fence', () => {
  const waitSeconds = migrationLimits.unfencedHoldMs / 1000
  assert.equal(etaSecondsOf({ tookMs: 10_000, fenced: true, isPublished: true }), 10)
  assert.equal(etaSecondsOf({ tookMs: 10_000, fenced: false, isPublished: true }), waitSeconds + 20)
  assert.equal(etaSecondsOf({ tookMs: 10_000, fenced: false, isPublished: false }), 10)
})

test('plan: an object that is listed again counts once, and the largest class comes first', () => {
  const found = new RefusedObjects()
  const denied = { namespace: 'a', name: 'x', reason: 'Denied', message: 'no' } as const
  found.add(denied)
  found.add(denied)
  found.add({ name: 'y', reason: 'Invalid', message: 'bad' })
  found.add({ name: 'z', reason: 'Invalid', message: 'bad' })
  found.add({ name: 'w', reason: 'NoDryRun', message: 'side effects' })
  assert.deepEqual(
    found.refused.map((each) => [each.class, each.count]),
    [
      ['schema', 2],
      ['denied by admission', 1],
    ],
  )
  assert.deepEqual(
    found.unknown.map((each) => [each.class, each.count, each.objects[0]?.name]),
    [['no dry run', 1, 'w']],
  )
})
