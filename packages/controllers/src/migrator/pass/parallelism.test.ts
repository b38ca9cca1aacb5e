import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answered, adaptParallelism, type Parallelism, startParallelism } from './parallelism.ts'

const fine = (latencyMs: number, times: number): readonly Answered[] =>
  Array.from({ length: times }, () => ({ kind: 'fine', latencyMs }))
const congested = (times: number): readonly Answered[] =>
  Array.from({ length: times }, () => ({ kind: 'congested' }))
const after = (answers: readonly Answered[], from: Parallelism = startParallelism()): Parallelism =>
  answers.reduce((now, each) => adaptParallelism(now, each), from)

const at16: Parallelism = { ...startParallelism(), allowed: 16, lowWaterMs: 20, sinceCut: 100 }
type Row = readonly [
  name: string,
  answers: readonly Answered[],
  from: Parallelism | undefined,
  allowed: number,
]
const cases: readonly Row[] = [
  ['it begins with four', [], undefined, 4],
  ['one more for each round', fine(10, 5), undefined, 5],
  ['and another', fine(10, 11), undefined, 6],
  ['not more than it may', fine(10, 10_000), undefined, 64],
  ['half when the server pushes back', congested(1), at16, 8],
  ['what was under way then counts once', congested(9), at16, 8],
  ['half again when it goes on', congested(10), at16, 4],
  ['never none at all', congested(200), at16, 1],
  ['less when answers take twice as long', fine(50, 50), at16, 14],
  ['and less', fine(50, 100), at16, 10],
  ['slow answers alone never bring it below where it starts', fine(100, 1_000), at16, 4],
  ['but a push does', [...fine(100, 1_000), ...congested(1)], at16, 2],
  ['from there it comes back to the start, slow or not', [...congested(200), ...fine(100, 1_000)], at16, 4],
  ['a few milliseconds are not slow', fine(15, 50), { ...at16, lowWaterMs: 1 }, 18],
  ['one late answer is not slow', [...fine(20, 49), ...fine(800, 1)], at16, 18],
  ['it comes back', [...congested(1), ...fine(20, 100)], at16, 16],
]
for (const [name, answers, from, allowed] of cases) {
  test(`parallelism: ${name}`, () => assert.equal(Math.floor(after(answers, from).allowed), allowed))
}

test('parallelism: a server that has become slower for good is normal after a while', () => {
  const slow = after(fine(60, 10_000), at16)
  assert.ok(slow.allowed > 16, String(slow.allowed))
})
