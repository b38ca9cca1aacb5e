import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer } from '@strata/world'
import { seededRandom } from '../contract/harness.ts'
import { compareKeys } from '../key-order.ts'
import { SortedKeys } from './sorted-keys.ts'

for (const [name, alphabet] of [
  ['plain keys', ['a', 'b', 'c', '/']],
  ['keys beyond the basic plane', ['a', '/', '\ue000', '😀', 'ÿ']],
] as const) {
  test(`sorted keys: ${name} agree with a sorted array`, () => {
    const random = seededRandom(7)
    const sorted = new SortedKeys()
    const model = new Set<string>()
    const word = (most: number): string =>
      Array.from({ length: integer(random, most) }, () => alphabet[integer(random, alphabet.length)]).join('')
    for (let step = 0; step < 5000; step++) {
      const key = word(9)
      if (random.fraction() < 0.7) {
        sorted.add(key)
        model.add(key)
      } else {
        sorted.remove(key)
        model.delete(key)
      }
      if (step % 50 !== 0) continue
      const [prefix, from] = [word(3), word(5)]
      const want = [...model].filter((one) => one.startsWith(prefix) && compareKeys(one, from) >= 0)
      assert.deepEqual([...sorted.withPrefix(prefix, from)], want.toSorted(compareKeys))
    }
  })
}
