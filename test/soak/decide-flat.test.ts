import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideFlat, trendOf } from './decide-flat.ts'
import type { MemorySample } from './retained-memory.ts'

const megabyte = 1024 * 1024
/** A sample a minute. */
const samples = (heap: (minute: number) => number): MemorySample[] =>
  Array.from({ length: 30 }, (_, minute) => ({
    ...{ atMs: minute * 60_000, residentBytes: 0 },
    heldBytes: heap(minute) * megabyte,
  }))

const cases: ReadonlyArray<[name: string, heap: (minute: number) => number, isFlat: boolean]> = [
  ['the same all the time', () => 60, true],
  ['up and down', (minute) => 60 + 10 * (minute % 3), true],
  ['one outlier at the end', (minute) => (minute === 29 ? 400 : 60), true],
  ['a leak of half a megabyte a minute', (minute) => 60 + minute / 2, false],
  ['a leak below a noise of the same size', (minute) => 60 + minute / 2 + 3 * (minute % 2), false],
  ['less and less', (minute) => 60 - minute, true],
]
for (const [name, heap, isFlat] of cases) {
  test(`soak: ${name} is ${isFlat ? 'flat' : 'not flat'}`, () => {
    const trend = trendOf(samples(heap), ({ heldBytes }) => heldBytes)
    assert.ok(trend)
    assert.equal(decideFlat(trend, 30), isFlat, JSON.stringify(trend))
  })
}

test('soak: of too few samples nothing is said', () => {
  assert.equal(
    trendOf(samples(() => 1).slice(0, 4), ({ heldBytes }) => heldBytes),
    undefined,
  )
})
