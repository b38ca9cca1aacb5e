import assert from 'node:assert/strict'
import { test } from 'node:test'
import { divideIntoBatches } from './batches.ts'

const files = Array.from({ length: 30 }, (_, index) => `test/integration/${index}.test.ts`)

test('batches: quick files share a process, and none is lost', () => {
  const batches = divideIntoBatches('unit', files)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [24, 6],
  )
  assert.deepEqual(batches.flat(), files)
})

test('batches: what takes long comes first and has a process of its own', () => {
  const seeds = 'test/simulation/seeds.test.ts'
  assert.deepEqual(divideIntoBatches('joint', [...files.slice(0, 2), seeds]), [[seeds], files.slice(0, 2)])
})

test('batches: what has real parts has a process of its own', () => {
  assert.deepEqual(
    divideIntoBatches('e2e', files),
    files.map((path) => [path]),
  )
})

test('batches: of nothing there are none', () => assert.deepEqual(divideIntoBatches('unit', []), []))
