import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store, StoreUnavailable } from '../store/homes.ts'
import { WatchCache } from './watch-cache.ts'

const prefix = '/registry/configmaps/'
const never = new AbortController().signal

/** Revisions 2 to 7: a is put three times, b is put and deleted, c is put. */
async function writeHistory(store: Store): Promise<void> {
  const put = (key: string, value: string) =>
    ({ kind: 'put', key: prefix + key, value: Buffer.from(value) }) as const
  for (const write of [
    put('a', '1'),
    put('b', '1'),
    put('a', '2'),
    { kind: 'delete', key: `${prefix}b` } as const,
    put('c', '1'),
    put('a', '3'),
  ]) {
    await store.commit({ writes: [write], guards: [] }, never)
  }
}

interface Scene {
  readonly simulation: Simulation
  readonly store: Store
  readonly cache: WatchCache
}

async function setUp(
  change: (store: Store, simulation: Simulation) => Store = (store) => store,
): Promise<Scene> {
  const simulation = new Simulation('watch cache')
  const store = createMemoryStore(new MemoryData())
  await writeHistory(store)
  const cache = new WatchCache({
    store: change(store, simulation),
    world: simulation.process('server'),
    root: '/registry/',
    prefixes: [prefix],
    tick: async () => {},
  })
  return { simulation, store, cache }
}

const synced = ({ simulation, cache }: Scene): Promise<void> =>
  simulation.settle(new Promise<void>((resolve) => void cache.run(never, resolve)))

function since(cache: WatchCache, revision: number): string[] | undefined {
  return cache
    .collection(prefix)
    .since(revision)
    ?.map(({ kind, key, value }) => `${kind} ${key.slice(prefix.length)}=${Buffer.from(value)}`)
}

function state(cache: WatchCache): string[] {
  const { count, at } = cache.collection(prefix).range(prefix)
  return Array.from({ length: count }, (_, index) => at(index)).map(
    ({ key, value }) => `${key.slice(prefix.length)}=${Buffer.from(value)}`,
  )
}

test('watch cache: begins with what has happened lately, as if it had been there', async () => {
  const scene = await setUp()
  await synced(scene)
  assert.deepEqual(state(scene.cache), ['a=3', 'c=1'])
  assert.deepEqual(since(scene.cache, 3), ['modified a=2', 'deleted b=1', 'added c=1', 'modified a=3'])
})

test('watch cache: what the store has forgotten is not remembered', async () => {
  const scene = await setUp()
  await scene.store.compact(5, never)
  await synced(scene)
  assert.deepEqual(state(scene.cache), ['a=3', 'c=1'])
  assert.equal(since(scene.cache, 4), undefined)
  assert.deepEqual(since(scene.cache, 5), ['added c=1', 'modified a=3'])
})

test('watch cache: a store that forgets while it is read is read as it is now', async () => {
  const scene = await setUp((store) => ({
    ...store,
    list: async (range, signal) => {
      if (range.revision !== undefined) await store.compact(range.revision + 1, signal)
      return store.list(range, signal)
    },
  }))
  await synced(scene)
  assert.deepEqual(state(scene.cache), ['a=3', 'c=1'])
  assert.deepEqual(since(scene.cache, 7), [])
})

test('watch cache: is not complete before it has come to the present', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const scene = await setUp((store) => ({
    ...store,
    watch: async function* (...parameters) {
      await promise
      yield* store.watch(...parameters)
    },
  }))
  void scene.cache.run(never, () => {})
  await scene.simulation.run({ untilMs: 1_000 })
  assert.equal(scene.cache.synced, false)
  // Readers that accept any state never see the beginning.
  assert.deepEqual([scene.cache.barrier.applied, scene.cache.barrier.floor], [1, 7])
  release()
  await scene.simulation.run({ untilMs: 2_000 })
  assert.equal(scene.cache.synced, true)
  assert.deepEqual(state(scene.cache), ['a=3', 'c=1'])
})

test('watch cache: one that reads again never goes back to the past', async () => {
  let breakNow = (): void => {}
  const scene = await setUp((store) => ({
    ...store,
    watch: async function* (...parameters) {
      const broken = new Promise<never>((_, reject) => {
        breakNow = () => reject(new StoreUnavailable('gone'))
      })
      const batches = store.watch(...parameters)[Symbol.asyncIterator]()
      for (;;) {
        const { value, done } = await Promise.race([batches.next(), broken])
        if (done) return
        yield value
      }
    },
  }))
  await synced(scene)
  const seen: string[] = []
  scene.cache
    .collection(prefix)
    .subscribe({ onEvent: () => seen.push('event'), onReset: () => seen.push('reset') })
  breakNow()
  await scene.simulation.run({ untilMs: 2_000 })
  assert.deepEqual(seen, ['reset'])
  assert.deepEqual(state(scene.cache), ['a=3', 'c=1'])
  assert.equal(since(scene.cache, 6), undefined)
})

// Otherwise: the applied revision is ahead of the new store, and reads do not wait for its changes.
test('watch cache: a batch that was held while the store was replaced is not applied', async () => {
  const released = Promise.withResolvers<void>()
  const simulation = new Simulation('held batch')
  const store = createMemoryStore(new MemoryData())
  await writeHistory(store)
  let isReplaced = false
  const held: Store = {
    ...store,
    watch: async function* (...args) {
      for await (const batch of store.watch(...args)) {
        if (batch.changes.some(({ key }) => key.endsWith('/late'))) await released.promise
        yield batch
      }
    },
  }
  const cache = new WatchCache({
    ...{ store: held, world: simulation.process('server'), root: '/registry/', prefixes: [prefix] },
    tick: async () => {},
    mayLoad: () => (isReplaced ? new Promise(() => {}) : Promise.resolve()),
  })
  await synced({ simulation, store, cache })
  const write = { kind: 'put', key: `${prefix}late`, value: Buffer.from('1') } as const
  await simulation.settle(store.commit({ writes: [write], guards: [] }, never))
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  isReplaced = true
  cache.storeReplaced(new Error('replaced'))
  released.resolve()
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  assert.equal(cache.barrier.applied, 0)
})

test('watch cache: events are remembered for five minutes, and not for ever', async () => {
  const scene = await setUp()
  const { simulation, store, cache } = scene
  await synced(scene)
  const write = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++)
      await store.commit(
        { writes: [{ kind: 'put', key: `${prefix}a`, value: Buffer.from('x') }], guards: [] },
        never,
      )
  }
  const remembered = (): number => {
    const collection = cache.collection(prefix)
    return collection.since(collection.oldestRevision)?.length ?? 0
  }
  await simulation.settle(write(500))
  await simulation.run({ untilMs: simulation.nowMs + 5 * 60_000 })
  assert.ok(remembered() >= 500, `${remembered()} events`)
  await simulation.settle(write(1))
  await simulation.run({ untilMs: simulation.nowMs + 2 * 60_000 })
  assert.equal(remembered(), 100)
})
