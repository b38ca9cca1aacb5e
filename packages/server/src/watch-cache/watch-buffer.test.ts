import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WatchBuffer } from './watch-buffer.ts'

test('watch buffer: everything that waits is taken at once, in order, and then the end', async () => {
  const buffer = new WatchBuffer<number>(() => {})
  buffer.push(1, 1)
  buffer.push(2, 1)
  assert.deepEqual(await buffer.take(), [1, 2])
  const next = buffer.take()
  buffer.push(3, 1)
  assert.deepEqual(await next, [3])
  buffer.push(4, 1)
  buffer.end()
  buffer.push(5, 1)
  assert.deepEqual(await buffer.take(), [4])
  assert.deepEqual(await buffer.take(), [])
})

for (const [name, bytes, count] of [
  ['items', 1, 10_001],
  ['bytes', 1024 * 1024, 17],
] as const) {
  test(`watch buffer: too many ${name} end it once, and are not held any longer`, async () => {
    let ends = 0
    const buffer = new WatchBuffer<number>(() => ends++)
    for (let index = 0; index < count; index++) buffer.push(index, bytes)
    assert.equal(ends, 1)
    assert.deepEqual(await buffer.take(), [])
  })
}

test('watch buffer: one item larger than all that may wait is taken nevertheless', async () => {
  const buffer = new WatchBuffer<number>(() => {})
  buffer.push(1, 100 * 1024 * 1024)
  assert.deepEqual(await buffer.take(), [1])
})

test('watch buffer: a failure comes after the items pushed before it', async () => {
  const buffer = new WatchBuffer<number>(() => {})
  buffer.push(1, 1)
  buffer.fail(new Error('broken'))
  assert.deepEqual(await buffer.take(), [1])
  await assert.rejects(buffer.take(), /broken/)
  assert.deepEqual(await buffer.take(), [])
})
