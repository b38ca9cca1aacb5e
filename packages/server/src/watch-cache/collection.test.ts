import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../store/index.ts'
import type { CacheEvent } from './cache-event.ts'
import { Collection } from './collection.ts'

const entry = (key: string, revision: number, text = `${key}@${revision}`): Entry => ({
  key,
  value: Buffer.from(text),
  revision,
  createRevision: revision,
})
const keysOf = (collection: Collection, prefix: string, after?: string): string[] => {
  const range = collection.range(prefix, after)
  return Array.from({ length: range.count }, (_, index) => range.at(index).key)
}

test('collection: ranges are in order, by prefix, after a key', () => {
  const collection = new Collection('/r/')
  for (const [index, key] of ['/r/b/2', '/r/a/1', '/r/b/1', '/r/a-b/1', '/r/b/10'].entries()) {
    collection.put(entry(key, index + 1))
  }
  assert.deepEqual(keysOf(collection, '/r/'), ['/r/a-b/1', '/r/a/1', '/r/b/1', '/r/b/10', '/r/b/2'])
  assert.deepEqual(keysOf(collection, '/r/b/'), ['/r/b/1', '/r/b/10', '/r/b/2'])
  assert.deepEqual(keysOf(collection, '/r/b/', '/r/b/1'), ['/r/b/10', '/r/b/2'])
  assert.deepEqual(keysOf(collection, '/r/c/'), [])
  collection.put(entry('/r/b/\uffffx', 9))
  assert.deepEqual(keysOf(collection, '/r/b/', '/r/b/10'), ['/r/b/2', '/r/b/\uffffx'], 'nothing is hidden')
  assert.deepEqual(keysOf(collection, '/r/a/'), ['/r/a/1'])
})

test('collection: keys are in the order of their bytes, as in the store', () => {
  const inOrder = ['a', 'z', '\uff21', '\uff21b', '\u{1f600}', '\u{1f600}b'].map((name) => `/r/n/${name}`)
  const collection = new Collection('/r/')
  for (const key of inOrder.toReversed()) collection.put(entry(key, 1))
  const read = new Collection('/r/')
  read.reset(
    inOrder.toReversed().map((key) => entry(key, 1)),
    1,
  )
  for (const each of [collection, read]) {
    assert.deepEqual(keysOf(each, '/r/n/'), inOrder)
    for (const [index, key] of inOrder.entries()) {
      assert.deepEqual(keysOf(each, '/r/n/', key), inOrder.slice(index + 1), key)
    }
    each.put(entry('/r/n/\u{1f600}', 2))
    assert.equal(each.isUnchangedSince(1, '/r/n/', '/r/n/\uff21'), false)
    assert.equal(each.isUnchangedSince(1, '/r/n/', '/r/n/\u{1f600}'), true)
    each.delete('/r/n/\uff21', 3)
    assert.deepEqual(keysOf(each, '/r/n/'), inOrder.toSpliced(2, 1))
  }
})

test('collection: watchers see each change once, in order, with the previous value', () => {
  const collection = new Collection('/r/')
  const seen: string[] = []
  const watch = (event: CacheEvent): void => {
    const text = (bytes: Uint8Array | undefined): string => (bytes ? Buffer.from(bytes).toString() : '-')
    seen.push(`${event.kind} ${event.key} ${event.revision} ${text(event.previous)}`)
  }
  collection.subscribe({ onEvent: watch, onReset: () => {} })
  collection.put(entry('/r/a', 1))
  collection.put(entry('/r/a', 2))
  collection.put(entry('/r/a', 2))
  collection.delete('/r/a', 3)
  collection.delete('/r/a', 3)
  assert.deepEqual(seen, ['added /r/a 1 -', 'modified /r/a 2 /r/a@1', 'deleted /r/a 3 /r/a@2'])
})

test('collection: the past is replayed from any revision that is still known', () => {
  const collection = new Collection('/r/')
  collection.reset([entry('/r/old', 5)], 10)
  for (let revision = 11; revision <= 20; revision++) collection.put(entry('/r/a', revision))
  assert.equal(collection.since(9), undefined)
  assert.deepEqual(
    collection.since(10)?.map(({ revision }) => revision),
    [11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
  )
  assert.deepEqual(
    collection.since(18)?.map(({ revision }) => revision),
    [19, 20],
  )
  assert.deepEqual(collection.since(20), [])
})

test('collection: history is bounded, and says from where it is complete', () => {
  const collection = new Collection('/r/')
  for (let revision = 1; revision <= 30_000; revision++) collection.put(entry('/r/a', revision))
  const oldest = collection.oldestRevision
  assert.ok(oldest > 0)
  assert.equal(collection.since(oldest - 1), undefined)
  assert.equal(collection.since(oldest)?.length, 30_000 - oldest)
})

const heavy: ReadonlyArray<readonly [what: string, key: string, value: Uint8Array]> = [
  ['values', '/r/a', new Uint8Array(20_000)],
  ['keys', `/r/${'k'.repeat(20_000)}`, new Uint8Array(0)],
]
for (const [what, key, value] of heavy) {
  test(`collection: history is bounded by the bytes of ${what}`, () => {
    const collection = new Collection('/r/')
    const events = 5_000
    for (let revision = 1; revision <= events; revision++) {
      collection.put({ ...entry(key, revision), value })
    }
    const kept = collection.since(collection.oldestRevision)?.length ?? 0
    assert.equal(kept, events - collection.oldestRevision)
    assert.ok(kept * 20_000 <= 1.25 * 32 * 1024 * 1024, `${kept} events are kept`)
    assert.ok(kept * 20_000 >= 0.9 * 32 * 1024 * 1024, `${kept} events are kept`)
  })
}

test('collection: old events are dropped, except the newest hundred, and a revision only whole', () => {
  const collection = new Collection('/r/')
  for (let revision = 1; revision <= 1_000; revision++) collection.put(entry('/r/a', revision))
  collection.forgetUpTo(0)
  assert.equal(collection.since(0)?.length, 1_000)
  collection.forgetUpTo(300)
  assert.equal(collection.oldestRevision, 300)
  assert.equal(collection.since(299), undefined)
  assert.equal(collection.since(300)?.length, 700)
  collection.forgetUpTo(5_000)
  assert.equal(collection.since(collection.oldestRevision)?.length, 100)
  const shared = new Collection('/r/')
  for (let index = 0; index < 150; index++) shared.put(entry(`/r/${index}`, 7))
  shared.put(entry('/r/last', 8))
  shared.forgetUpTo(8)
  assert.deepEqual([shared.oldestRevision, shared.since(7)?.length], [7, 1])
})

test('collection: a reset ends all watches', () => {
  const collection = new Collection('/r/')
  let resets = 0
  collection.subscribe({ onEvent: () => {}, onReset: () => resets++ })
  collection.reset([], 5)
  collection.reset([], 6)
  assert.equal(resets, 1)
})

test('collection: a watcher of a namespace or one key gets no other events', () => {
  const collection = new Collection('/r/')
  const seen: string[] = []
  const follow = (scope?: string): (() => void) =>
    collection.subscribe({ onEvent: ({ key }) => seen.push(`${scope}: ${key}`), onReset: () => {} }, scope)
  const stops = [follow('/r/one/'), follow('/r/one/a'), follow('/r/')]
  collection.put(entry('/r/one/a', 1))
  collection.put(entry('/r/one/ab', 2))
  collection.put(entry('/r/two/a', 3))
  assert.deepEqual(seen.splice(0).sort(), [
    '/r/: /r/one/a',
    '/r/: /r/one/ab',
    '/r/: /r/two/a',
    '/r/one/: /r/one/a',
    '/r/one/: /r/one/ab',
    '/r/one/a: /r/one/a',
  ])
  for (const stop of stops) stop()
  collection.delete('/r/one/a', 4)
  assert.deepEqual(seen, [])
})

test('collection: knows what has certainly not changed since a revision', () => {
  const collection = new Collection('/r/')
  collection.reset([entry('/r/one/a', 5), entry('/r/one/c', 6), entry('/r/two/a', 7)], 10)
  assert.equal(collection.isUnchangedSince(10, '/r/', ''), true)
  assert.equal(collection.isUnchangedSince(9, '/r/', ''), false, 'what was before the reading is not known')
  collection.put(entry('/r/one/b', 12))
  assert.equal(collection.isUnchangedSince(12, '/r/', ''), true)
  assert.equal(collection.isUnchangedSince(11, '/r/', ''), false)
  assert.equal(collection.isUnchangedSince(11, '/r/one/', '/r/one/a'), false)
  assert.equal(collection.isUnchangedSince(11, '/r/one/', '/r/one/b'), true, 'only what comes later counts')
  assert.equal(collection.isUnchangedSince(11, '/r/two/', ''), true)
})

test('collection: a watch resumed at a shared revision gets all its changes again', () => {
  const collection = new Collection('/r/')
  for (const key of ['/r/a/1', '/r/a/2', '/r/b/1']) collection.put(entry(key, 1))
  collection.put(entry('/r/a/1', 2))
  for (const key of ['/r/a/1', '/r/a/2', '/r/b/1']) collection.put(entry(key, 3))
  collection.put(entry('/r/a/2', 4))
  const resumed = (revision: number, scope?: string): string[] | undefined =>
    collection.resume(revision, scope)?.map((event) => `${event.key} ${event.revision}`)
  assert.deepEqual(resumed(4), [])
  assert.deepEqual(resumed(3), ['/r/a/1 3', '/r/a/2 3', '/r/b/1 3', '/r/a/2 4'])
  assert.deepEqual(resumed(2), ['/r/a/1 3', '/r/a/2 3', '/r/b/1 3', '/r/a/2 4'])
  // Only one of the keys it watches was in that revision, and it has seen that one.
  assert.deepEqual(resumed(3, '/r/b/'), ['/r/a/2 4'])
  assert.deepEqual(resumed(3, '/r/a/1'), ['/r/a/2 4'])

  const read = new Collection('/r/')
  read.reset([entry('/r/a/1', 3), entry('/r/a/2', 3), entry('/r/b/1', 2)], 3)
  assert.equal(read.resume(2), undefined)
  assert.deepEqual(
    read.resume(3)?.map(({ key }) => key),
    ['/r/a/1', '/r/a/2'],
    'also where no more is known of it than what it left behind',
  )
  read.reset([entry('/r/a/1', 3)], 3)
  assert.deepEqual(read.resume(3), [])
})

test('collection: the last revision that is forgotten can still be resumed at, if several changes share it', () => {
  const collection = new Collection('/r/')
  for (let round = 1; round <= 7_000; round++) {
    for (const key of ['/r/a', '/r/b']) collection.put(entry(key, round, 'x'))
  }
  const oldest = collection.oldestRevision
  assert.ok(oldest > 1 && oldest < 7_000)
  assert.equal(collection.resume(oldest - 1), undefined)
  const resumed = collection.resume(oldest)
  assert.deepEqual(
    resumed?.slice(0, 3).map(({ key, revision }) => [key, revision]),
    [
      ['/r/a', oldest],
      ['/r/b', oldest],
      ['/r/a', oldest + 1],
    ],
  )
  assert.equal(resumed?.length, 2 * (7_000 - oldest + 1))
})
