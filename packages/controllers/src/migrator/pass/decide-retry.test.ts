import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideRetry, type FailedTry, type Failures, noFailures, retryLimits } from './decide-retry.ts'

const failed: FailedTry = { isThrottled: false, othersSucceeded: true, retryAfterMs: 0 }
const after = (count: number): Failures => ({ failed: count, counted: count, throttled: 0 })

type Row = readonly [name: string, before: Failures, tried: Partial<FailedTry>, afterMs: number | 'give up']
const cases: readonly Row[] = [
  ['the first time, soon', noFailures, {}, 250],
  ['then later', after(1), {}, 500],
  ['and later', after(4), {}, 4_000],
  ['until there is nothing to hope for', after(7), {}, 'give up'],
  ['never more than half a minute by itself', { ...after(7), counted: 3 }, {}, 30_000],
  ['as long as the server asks for', after(1), { retryAfterMs: 90_000 }, 90_000],
  ['not less than by itself', after(4), { retryAfterMs: 1_000 }, 4_000],
  [
    'while nothing succeeds it is not the object',
    { ...after(30), counted: 7 },
    { othersSucceeded: false },
    30_000,
  ],
  ['to be asked to wait does not speak against it', after(7), { isThrottled: true }, 30_000],
  ['but not for ever', { failed: 39, counted: 0, throttled: 39 }, { isThrottled: true }, 'give up'],
]
for (const [name, before, tried, wanted] of cases) {
  test(`retry: ${name}`, () => {
    const decision = decideRetry(before, { ...failed, ...tried })
    assert.equal(decision.do === 'again' ? decision.afterMs : decision.do, wanted)
  })
}

test('retry: chance spreads what failed together, and never comes sooner than asked', () => {
  const decision = decideRetry(noFailures, { ...failed, retryAfterMs: 1_000 }, retryLimits, 0.5)
  assert.equal(decision.do === 'again' && decision.afterMs, 1_250)
})
