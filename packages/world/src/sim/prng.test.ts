import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimRandom, type SimRandom } from './prng.ts'

const draw = (random: SimRandom): number[] => Array.from({ length: 20 }, () => random.uint32())

test('prng: one seed gives one sequence, another seed another', () => {
  assert.deepEqual(draw(createSimRandom('1')), draw(createSimRandom('1')))
  assert.notDeepEqual(draw(createSimRandom('1')), draw(createSimRandom('2')))
})

test('prng: neighbouring seeds do not start alike', () => {
  const firsts = new Set(
    Array.from({ length: 1000 }, (_, seed) => createSimRandom(String(seed)).uint32() >>> 12),
  )
  assert.ok(firsts.size > 990, String(firsts.size))
})

test('prng: a fork does not depend on what was drawn from its parent', () => {
  const early = createSimRandom('1').fork('child')
  const parent = createSimRandom('1')
  draw(parent)
  assert.deepEqual(draw(early), draw(parent.fork('child')))
})

test('prng: forks differ by label and by count', () => {
  const root = createSimRandom('1')
  const sequences = [root, root.fork('a'), root.fork('b'), root.fork('a')].map((random) =>
    draw(random).join(),
  )
  assert.equal(new Set(sequences).size, 4)
})
