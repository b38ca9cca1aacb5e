import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { inTurns } from './in-turns.ts'

const kilobytes = 1024
const cases: ReadonlyArray<[name: string, sizes: readonly number[], turns: number]> = [
  ['nothing', [], 0],
  ['little', [1, 2, 3], 0],
  ['much at the end', [1, 4000], 0],
  ['much, and more', [600, 1, 511, 1], 2],
  ['a lot', Array(40).fill(128), 9],
]
for (const [name, sizes, want] of cases) {
  test(`in turns: ${name} takes ${want} turns, in order`, async () => {
    let turns = 0
    const clock = {
      ...nodeClock,
      soon: (callback: () => void) => {
        turns++
        nodeClock.soon(callback)
      },
    }
    const made = await inTurns(sizes, (size) => size * kilobytes, String, clock)
    assert.deepEqual([made, turns], [sizes.map(String), want])
  })
}
