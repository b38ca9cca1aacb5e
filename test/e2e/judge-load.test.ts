import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { History, StoredBeacon } from '../support/raw-history.ts'
import type { WriteOutcome } from '../support/write-load.ts'
import { judgeLoad } from './judge-load.ts'

// A judge that never objects proves nothing, so each of its objections is provoked once.
const put = (revision: number, colour: string, name = 'one'): StoredBeacon => ({
  ...{ revision, colour, name, apiVersion: 'lighthouse.example.dev/v1' },
})
const stored = (revision: number, colour: string): WriteOutcome => ({
  kind: 'stored',
  name: 'one',
  colour,
  revision,
})

const base = {
  outcomes: [
    stored(2, 'c1'),
    stored(3, 'c2'),
    { kind: 'deleted', name: 'one', after: 3 },
  ] as readonly WriteOutcome[],
  sent: ['c1', 'c2', 'c3'],
  puts: [put(2, 'c1'), put(3, 'c2'), put(9, 'other', 'two')],
  deletes: [{ revision: 4, name: 'one' }],
}

const cases: ReadonlyArray<[name: string, change: Partial<typeof base>, objection: RegExp | undefined]> = [
  ['confirmed writes that are stored are fine', {}, undefined],
  ['a write without an answer may be there', { puts: [...base.puts, put(5, 'c3')] }, undefined],
  ['an acknowledged write is missing', { puts: [put(2, 'c1')] }, /^lost: c2/],
  ['another value is there instead', { puts: [put(2, 'c1'), put(3, 'c3')] }, /^lost: c2/],
  [
    'a refused write is there',
    { outcomes: [{ kind: 'refused', name: 'one', colour: 'c1', answer: '503' }] },
    /^stored at 2 though refused \(503\)/,
  ],
  ['an acknowledged deletion is missing', { deletes: [] }, /^not deleted: one at 3/],
  [
    'something came between an object and its deletion',
    { puts: [...base.puts, put(4, 'c3')], deletes: [{ revision: 5, name: 'one' }] },
    /^not deleted/,
  ],
  ['an old value came back', { puts: [...base.puts, put(5, 'c1')] }, /^one went back to c1 at 5/],
]

for (const [name, change, objection] of cases) {
  test(`judge of the load: ${name}`, () => {
    const { outcomes, sent, puts, deletes } = { ...base, ...change }
    const history: History = { changes: [], records: [], violations: [], puts, deletes }
    const problems = judgeLoad({ outcomes, sent }, history)
    if (objection) assert.match(problems.join('\n'), objection)
    else assert.deepEqual(problems, [])
  })
}
