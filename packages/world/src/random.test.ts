import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNodeRandom } from './node/index.ts'
import { chance, integer, jitter, pick, type Random, shuffled, uuid } from './random.ts'
import { createSimRandom } from './sim/index.ts'

const sources: ReadonlyArray<[name: string, create: () => Random]> = [
  ['node', createNodeRandom],
  ['simulated', () => createSimRandom('seed')],
]
for (const [name, create] of sources) {
  test(`${name} random: fractions lie in [0, 1) and fill it evenly`, () => {
    const random = create()
    const buckets = new Array<number>(10).fill(0)
    for (let i = 0; i < 20_000; i++) {
      const fraction = random.fraction()
      assert.ok(fraction >= 0 && fraction < 1)
      const bucket = Math.floor(fraction * 10)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    }
    // The standard deviation is 42: a healthy source misses this about never.
    for (const count of buckets) assert.ok(Math.abs(count - 2000) < 400, buckets.join())
  })

  test(`${name} random: bytes have the length asked for and are not shared`, () => {
    const random = create()
    for (const length of [0, 1, 16, 4096, 10_000]) assert.equal(random.bytes(length).length, length)
    const first = random.bytes(16)
    const copy = first.slice()
    random.bytes(4096)
    assert.deepEqual(first, copy)
    assert.notDeepEqual(random.bytes(16), random.bytes(16))
  })

  test(`${name} random: identifiers and choices are well formed`, () => {
    const random = create()
    assert.match(uuid(random), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.ok([0, 1, 2].includes(integer(random, 3)))
    assert.ok(['a', 'b'].includes(pick(random, ['a', 'b'])))
    assert.deepEqual(shuffled([1, 2, 3, 4], random).sort(), [1, 2, 3, 4])
    const value = jitter(random, 100, 0.25)
    assert.ok(value >= 75 && value <= 125)
    assert.equal(chance(random, 0), false)
    assert.equal(chance(random, 1), true)
  })
}
