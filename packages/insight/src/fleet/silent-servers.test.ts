import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '@strata/api'
import { describeChanges } from './describe-changes.ts'
import { describeFleet } from './fleet-status.ts'
import { agreedOnV1, entry, lease, nowMs, record } from './records-for-test.ts'

const v1 = 'example.dev/v1'
const renewTime = (secondsAgo: number): string => new Date(nowMs - 1000 * secondsAgo).toISOString()
const heard = (id: string, instance: string): Lease => lease(id, instance, { renewTime: renewTime(5) })
const silent = (id: string, instance: string): Lease => lease(id, instance, { renewTime: renewTime(31) })

const rows: readonly [
  name: string,
  leases: readonly Lease[],
  question: { readonly expectedServers: number; readonly isWaiting?: boolean },
  problems: readonly string[],
][] = [
  ['all are heard', [heard('a', 'one'), heard('b', 'two')], { expectedServers: 2, isWaiting: true }, []],
  [
    'one that was killed is waited for, and named',
    [heard('a', 'one'), silent('b', 'two')],
    { expectedServers: 2, isWaiting: true },
    ['1 of 2 expected servers are there: S2 (two) is silent; start it again'],
  ],
  [
    'so are several',
    [silent('a', 'one'), silent('b', 'two')],
    { expectedServers: 2, isWaiting: true },
    ['0 of 2 expected servers are there: S1 (one), S2 (two) are silent; start them again'],
  ],
  [
    'and those that have no Lease at all',
    [heard('a', 'one'), silent('b', 'two')],
    { expectedServers: 3, isWaiting: true },
    ['1 of 3 expected servers are there: S2 (two) is silent; start it again, and the others'],
  ],
  [
    'one more than is expected may be silent',
    [heard('a', 'one'), silent('b', 'two')],
    { expectedServers: 1, isWaiting: true },
    [],
  ],
  [
    'without a number the size of the fleet is unknown',
    [heard('a', 'one'), silent('b', 'two')],
    { expectedServers: 0, isWaiting: true },
    [],
  ],
  ['who only looks has a note', [heard('a', 'one'), silent('b', 'two')], { expectedServers: 2 }, []],
]
for (const [name, leases, question, problems] of rows) {
  test(`status, silence: ${name}`, () => {
    const records = [record([entry('a', v1), entry('b', v1)], agreedOnV1)]
    const seen = describeFleet({ records, leases }, nowMs, { resources: [], ...question })
    assert.deepEqual([seen.problems, seen.agreed], [problems, problems.length === 0])
  })
}

test('status, silence: on a pipe it is in the first line, and not repeated every second', () => {
  const records = [record([entry('a', v1), entry('b', v1)], agreedOnV1)]
  const leases = [heard('a', 'one'), silent('b', 'two')]
  const look = (laterMs: number) =>
    describeFleet({ records, leases }, nowMs + laterMs, {
      resources: [],
      expectedServers: 2,
      isWaiting: true,
    })
  assert.deepEqual(describeChanges(undefined, look(0)), [
    'servers: S1 (one) x, S2 (two) x (silent)',
    '1 of 2 expected servers are there: S2 (two) is silent; start it again',
  ])
  assert.deepEqual(describeChanges(look(0), look(1_000)), [])
})
