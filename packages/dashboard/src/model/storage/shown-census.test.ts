import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CensusSeen } from '../../live/census-taker.ts'
import { recordOf } from '../../live/observed-for-test.ts'
import { decideShownCensus } from './shown-census.ts'

const [early, late] = [1_000, 2_000].map((atMs) => ({ atMs, layers: [{ version: 'v1', key: '', count: 1 }] }))
assert.ok(early && late)
const record = recordOf('things', { a: 'v1' })
const agreedVersion = 'example.dev/v1'
const seen: CensusSeen = {
  status: { resourceVersion: '1', agreedVersion, total: 1, encodings: [], unreadable: 0, proven: true },
  problem: 'the server was away',
  samples: [early, late],
}

const cases: ReadonlyArray<[name: string, momentMs: number | undefined, want: CensusSeen]> = [
  ['now: all of it', undefined, seen],
  [
    'a moment between two counts: the plot until then, and nothing that was found later',
    1_500,
    { samples: [early] },
  ],
  ['the moment of a count', 2_000, { samples: [early, late] }],
  ['before the first count', 500, { samples: [] }],
]
for (const [name, momentMs, want] of cases)
  test(`census that is shown, ${name}`, () =>
    assert.deepEqual(decideShownCensus(seen, record, momentMs), want))

test('census that is shown, taken before another agreement: only the plot, and why there is no newer one', () => {
  const later = recordOf('things', { a: 'v2' })
  const { status: _, ...rest } = seen
  assert.deepEqual(decideShownCensus(seen, later, undefined), rest)
})
