import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsPerState } from './packing.ts'
import { VisitedStates } from './visited.ts'

/** More than one chunk holds, so that the table grows several times. */
const count = 300_000

/** Neighbours differ in one word, each time in another one. */
function wordsOf(number: number): Uint32Array {
  const words = new Uint32Array(wordsPerState)
  words[number % wordsPerState] = number + 1
  return words
}

test('each state is new once, and is found where it was put', () => {
  const visited = new VisitedStates()
  for (let number = 0; number < count; number++) {
    if (!visited.add(wordsOf(number), number - 1)) assert.fail(`state ${number} was taken for another one`)
  }
  for (let number = 0; number < count; number++) {
    if (visited.add(wordsOf(number), -1)) assert.fail(`state ${number} was met before`)
  }
  assert.equal(visited.size, count)
  const read = new Uint32Array(wordsPerState)
  for (const place of [0, 1, 65_535, 262_143, 262_144, count - 1]) {
    visited.read(place, read)
    assert.deepEqual(read, wordsOf(place))
    assert.equal(visited.originOf(place), place - 1)
  }
})
