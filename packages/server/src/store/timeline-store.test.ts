import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData, OutcomeUnknown, RevisionCompacted, StoreReplaced } from './homes.ts'
import type { Commit, Store } from './store.ts'
import { type Replacement, TimelineStore } from './timeline-store.ts'

const never = new AbortController().signal
const put = (key: string, value = 'x'): Commit => ({
  writes: [{ kind: 'put', key, value: Buffer.from(value) }],
  guards: [],
})

function setUp(wrap: (store: Store) => Store = (store) => store) {
  const data = new MemoryData()
  const noticed: Replacement[] = []
  const store = new TimelineStore(wrap(createMemoryStore(data)), {
    incarnationKey: '/incarnation',
    ownKey: '/own',
    onReplaced: (replacement) => noticed.push(replacement),
  })
  const write = (count: number): void => {
    for (let index = 0; index < count; index++) data.commit(put('/other'))
  }
  return { data, store, noticed, write }
}

const questions: readonly (readonly [name: string, ask: (store: Store) => Promise<unknown>])[] = [
  ['read', (store) => store.read(['/other'], never)],
  ['list', (store) => store.list({ prefix: '/' }, never)],
  ['currentRevision', (store) => store.currentRevision(never)],
  [
    'a refused commit',
    (store) => store.commit({ ...put('/x'), guards: [{ key: '/y', revision: 1 }] }, never),
  ],
]
for (const [name, ask] of questions) {
  test(`timeline: ${name} after a restore throws, once, and goes on in the new timeline`, async () => {
    const { data, store, noticed, write } = setUp()
    write(10)
    const highest = await store.currentRevision(never)
    data.restoreTo(5)
    await assert.rejects(ask(store), StoreReplaced)
    assert.deepEqual(
      noticed.map((each) => [each.sign, each.highest]),
      [['revision', highest]],
    )
    await ask(store)
    assert.equal(noticed.length, 1)
  })
}

test('timeline: a commit in a restored store reports its true outcome, and the restore is noticed', async () => {
  const { data, store, noticed, write } = setUp()
  write(10)
  await store.currentRevision(never)
  data.restoreTo(5)
  assert.equal((await store.commit(put('/x'), never)).outcome, 'committed')
  assert.deepEqual(
    noticed.map(({ sign }) => sign),
    ['revision'],
  )
})

test('timeline: a commit that is under way when the store is replaced has an unknown outcome', async () => {
  const held = Promise.withResolvers<void>()
  const { data, store, write } = setUp((below) => ({
    ...below,
    commit: async (commit, signal) => {
      await held.promise
      return below.commit(commit, signal)
    },
  }))
  write(10)
  await store.currentRevision(never)
  const commit = store.commit(put('/x'), never)
  data.restoreTo(5)
  await assert.rejects(store.currentRevision(never), StoreReplaced)
  held.resolve()
  await assert.rejects(commit, OutcomeUnknown)
})

test('timeline: answers that overtake each other are no sign', async () => {
  const held = Promise.withResolvers<void>()
  let isFirst = true
  const { store, noticed, write } = setUp((below) => ({
    ...below,
    list: async (range, signal) => {
      const page = await below.list(range, signal)
      if (isFirst) {
        isFirst = false
        await held.promise
      }
      return page
    },
  }))
  const late = store.list({ prefix: '/' }, never)
  write(10)
  await store.currentRevision(never)
  held.resolve()
  await late
  assert.deepEqual(noticed, [])
})

test('timeline: a restored store that has been written to past all that was seen is known by its incarnation', async () => {
  const { data, store, noticed, write } = setUp()
  data.commit(put('/incarnation', 'i1'))
  store.adopt('i1')
  write(10)
  await store.currentRevision(never)
  data.restoreTo(5)
  data.commit(put('/incarnation', 'i2'))
  write(100)
  await assert.rejects(store.currentRevision(never), StoreReplaced)
  assert.equal(noticed[0]?.sign, 'incarnation')
})

test('timeline: so it is by what this process has written itself', async () => {
  const { data, store, noticed, write } = setUp()
  await store.commit(put('/own', '1'), never)
  write(3)
  await store.commit(put('/own', '2'), never)
  data.restoreTo(3)
  write(100)
  await assert.rejects(store.read(['/own'], never), StoreReplaced)
  assert.equal(noticed[0]?.sign, 'own-write')
})

test('timeline: a watch ends when a replacement is noticed, and the past is not read any more', async () => {
  const { data, store, write } = setUp()
  write(10)
  const watch = store.watch('/', 1, never)[Symbol.asyncIterator]()
  await watch.next()
  const next = watch.next()
  data.restoreTo(5)
  await assert.rejects(store.currentRevision(never), StoreReplaced)
  await assert.rejects(next, StoreReplaced)
  write(20)
  store.forgetBefore(25)
  await assert.rejects(store.list({ prefix: '/', revision: 24 }, never), RevisionCompacted)
  assert.equal((await store.list({ prefix: '/', revision: 25 }, never)).revision, 25)
})

test('timeline: until it is known where the new history begins, none is read', async () => {
  const { data, store, write } = setUp()
  write(10)
  await store.currentRevision(never)
  data.restoreTo(5)
  await assert.rejects(store.currentRevision(never), StoreReplaced)
  write(20)
  await assert.rejects(store.list({ prefix: '/', revision: 8 }, never), StoreReplaced)
  // Also where the history before began later: revisions that are too many are not passed.
  store.forgetBefore(20)
  await store.currentRevision(never)
  data.restoreTo(5)
  await assert.rejects(store.currentRevision(never), StoreReplaced)
  store.forgetBefore(6)
  write(5)
  assert.equal((await store.list({ prefix: '/', revision: 7 }, never)).revision, 7)
})

test('timeline: what another server has seen of a timeline that is over is not read any more', async () => {
  const { data, store, noticed, write } = setUp()
  data.commit(put('/incarnation', 'i1'))
  store.adopt('i1')
  write(30)
  data.commit(put('/incarnation', 'i1 20'))
  await store.currentRevision(never)
  assert.deepEqual(noticed, [])
  await assert.rejects(store.list({ prefix: '/', revision: 20 }, never), RevisionCompacted)
  assert.equal((await store.list({ prefix: '/', revision: 21 }, never)).revision, 21)
})

test('timeline: a watch that goes on after a restore begins with a look at the incarnation', async () => {
  const { data, store, noticed, write } = setUp()
  data.commit(put('/incarnation', 'i1'))
  store.adopt('i1')
  write(10)
  const seen = await store.currentRevision(never)
  data.restoreTo(5)
  data.commit(put('/incarnation', 'i2'))
  write(100)
  await assert.rejects(store.watch('/', seen, never)[Symbol.asyncIterator]().next(), StoreReplaced)
  assert.equal(noticed[0]?.sign, 'incarnation')
})

test('timeline: a read of the own key returns what was asked for, and notices another incarnation', async () => {
  const { data, store, noticed } = setUp()
  data.commit(put('/incarnation', 'i1'))
  store.adopt('i1')
  await store.commit(put('/own'), never)
  const { entries } = await store.read(['/own'], never)
  assert.deepEqual(
    entries.map((each) => each?.key),
    ['/own'],
  )
  data.commit(put('/incarnation', 'i2'))
  await store.read(['/other'], never)
  await assert.rejects(store.read(['/own'], never), StoreReplaced)
  assert.equal(noticed[0]?.sign, 'incarnation')
})

test('timeline: a watch checks the incarnation before its first change', async () => {
  const { data, store, noticed, write } = setUp()
  data.commit(put('/incarnation', 'first'))
  write(10)
  store.adopt('first')
  const seen = await store.currentRevision(never)
  const next = store.watch('/', seen, never)[Symbol.asyncIterator]().next()
  const asked = assert.rejects(next, StoreReplaced)
  // It has looked and waits below, where it resumes after the restore as if nothing had happened.
  await new Promise((resolve) => setImmediate(resolve))
  data.restoreTo(5)
  data.commit(put('/incarnation', 'second'))
  write(10)
  await asked
  assert.deepEqual(
    noticed.map(({ sign }) => sign),
    ['incarnation'],
  )
})

test('timeline: a watch that was silent for long looks at the incarnation before it tells something', async () => {
  let nowMs = 0
  const data = new MemoryData()
  const noticed: string[] = []
  const store = new TimelineStore(createMemoryStore(data), {
    ...{ incarnationKey: '/incarnation', ownKey: '/own', nowMs: () => nowMs },
    onReplaced: ({ sign }) => noticed.push(sign),
  })
  data.commit(put('/incarnation', 'first'))
  for (let index = 0; index < 10; index++) data.commit(put('/k'))
  store.adopt('first')
  const watch = store.watch('/', await store.currentRevision(never), never)[Symbol.asyncIterator]()
  data.commit(put('/k'))
  assert.equal((await watch.next()).done, false)
  const next = assert.rejects(watch.next(), StoreReplaced)
  await new Promise((resolve) => setImmediate(resolve))
  // The store below goes on as if nothing had happened: the last change is there in both timelines.
  data.commit(put('/incarnation', 'second'))
  nowMs += 5_000
  await next
  assert.deepEqual(noticed, ['incarnation'])
})
