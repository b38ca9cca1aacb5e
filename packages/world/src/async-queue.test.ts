import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AsyncQueue } from './async-queue.ts'

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

test('async queue: values come out in order and the end after them', async () => {
  const queue = new AsyncQueue<number>({ limit: 3 })
  for (const value of [1, 2, 3]) assert.equal(queue.push(value), true)
  queue.close()
  assert.deepEqual(await collect(queue), [1, 2, 3])
})

test('async queue: a full queue refuses, and takes again after a read', async () => {
  const queue = new AsyncQueue<number>({ limit: 1 })
  assert.equal(queue.push(1), true)
  assert.equal(queue.push(2), false)
  assert.equal(queue.size, 1)
  assert.deepEqual(await queue.next(), { done: false, value: 1 })
  assert.equal(queue.push(3), true)
})

test('async queue: several sleeping readers each get one value, none is lost', async () => {
  const queue = new AsyncQueue<number>({ limit: 1 })
  const reads = [queue.next(), queue.next(), queue.next()]
  // More than the limit at once: the readers take them directly.
  for (const value of [1, 2, 3]) assert.equal(queue.push(value), true)
  assert.deepEqual(
    (await Promise.all(reads)).map(({ value }) => value),
    [1, 2, 3],
  )
})

test('async queue: undefined is a value like any other', async () => {
  const queue = new AsyncQueue<undefined>({ limit: 1 })
  queue.push(undefined)
  assert.deepEqual(await queue.next(), { done: false, value: undefined })
})

test('async queue: a failure comes after the values before it, once', async () => {
  const queue = new AsyncQueue<number>({ limit: 2 })
  queue.push(1)
  queue.fail(new Error('broken'))
  assert.equal(queue.push(2), false)
  assert.deepEqual(await queue.next(), { done: false, value: 1 })
  await assert.rejects(queue.next(), /broken/)
  assert.deepEqual(await queue.next(), { done: true, value: undefined })
})

test('async queue: a failure wakes one sleeping reader with the error, the others with the end', async () => {
  const queue = new AsyncQueue<number>({ limit: 1 })
  const first = queue.next()
  const second = queue.next()
  queue.fail(new Error('broken'))
  await assert.rejects(first, /broken/)
  assert.deepEqual(await second, { done: true, value: undefined })
})

test('async queue: a failure after the end is not heard', async () => {
  const queue = new AsyncQueue<number>({ limit: 1 })
  queue.close()
  queue.fail(new Error('late'))
  assert.deepEqual(await queue.next(), { done: true, value: undefined })
})

test('async queue: leaving the loop closes it and tells the producer once', async () => {
  let returned = 0
  const queue = new AsyncQueue<number>({ limit: 2, onReturn: () => returned++ })
  queue.push(1)
  queue.push(2)
  for await (const value of queue) {
    assert.equal(value, 1)
    break
  }
  await queue.return()
  assert.equal(returned, 1)
  assert.equal(queue.closed, true)
  assert.equal(queue.push(3), false)
  assert.deepEqual(await queue.next(), { done: true, value: undefined })
})

test('async queue: return wakes a sleeping reader', async () => {
  const queue = new AsyncQueue<number>({ limit: 1 })
  const read = queue.next()
  await queue.return()
  assert.deepEqual(await read, { done: true, value: undefined })
})

test('async queue: clear forgets what waits', async () => {
  const queue = new AsyncQueue<number>({ limit: 1 })
  queue.push(1)
  queue.clear()
  queue.fail(new Error('now'))
  await assert.rejects(queue.next(), /now/)
})
