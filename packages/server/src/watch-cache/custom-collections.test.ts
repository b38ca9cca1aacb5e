import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../store/homes.ts'
import { WatchCache } from './watch-cache.ts'

const prefix = '/registry/example.org/gadgets/'
const never = new AbortController().signal

interface Scene {
  readonly simulation: Simulation
  readonly data: MemoryData
  readonly cache: WatchCache
  put(key: string, value: string): void
  remove(key: string): void
  pass(): Promise<unknown>
}

/** A cache that knows config maps, and no custom resource. */
async function setUp(before: readonly string[] = []): Promise<Scene> {
  const simulation = new Simulation('custom collections')
  const data = new MemoryData()
  const store: Store = createMemoryStore(data)
  const put = (key: string, value: string): void => {
    data.commit({ writes: [{ kind: 'put', key, value: Buffer.from(value) }], guards: [] })
  }
  for (const key of before) put(key, 'early')
  const cache = new WatchCache({
    store,
    world: simulation.process('server'),
    root: '/registry/',
    prefixes: ['/registry/configmaps/'],
    tick: async () => {},
  })
  await simulation.settle(new Promise<void>((resolve) => void cache.run(never, resolve)))
  return {
    simulation,
    data,
    cache,
    put,
    remove: (key) => void data.commit({ writes: [{ kind: 'delete', key }], guards: [] }),
    pass: () => simulation.settle(cache.barrier.pass(never)),
  }
}

const keysIn = ({ cache }: Scene, of = prefix): string[] => {
  const { count, at } = cache.collection(of).range(of)
  return Array.from({ length: count }, (_, index) => at(index).key.slice(of.length))
}

test('custom collections: instances that were there before anybody asked are all there', async () => {
  const scene = await setUp([`${prefix}default/a`, `${prefix}default/b`])
  assert.deepEqual(keysIn(scene), ['default/a', 'default/b'])
})

test('custom collections: instances that come before their definition is known are there when it is', async () => {
  const scene = await setUp()
  scene.put(`${prefix}default/a`, '1')
  scene.put(`${prefix}default/b`, '1')
  scene.remove(`${prefix}default/a`)
  await scene.pass()
  assert.deepEqual(keysIn(scene), ['default/b'])
})

test('custom collections: a watch of an empty one gets the first object', async () => {
  const scene = await setUp()
  const seen: string[] = []
  const from = scene.cache.barrier.applied
  scene.cache.collection(prefix).subscribe({
    onEvent: ({ kind, key }) => void seen.push(`${kind} ${key.slice(prefix.length)}`),
    onReset: () => void seen.push('reset'),
  })
  scene.put(`${prefix}default/a`, '1')
  await scene.pass()
  assert.deepEqual(seen, ['added default/a'])
  // And a client that resumes later at the revision from before gets the same.
  assert.deepEqual(
    scene.cache
      .collection(prefix)
      .since(from)
      ?.map(({ kind }) => kind),
    ['added'],
  )
})

test('custom collections: a watch from before the read has to list again', async () => {
  const scene = await setUp([`${prefix}default/a`])
  scene.data.compact(scene.data.revision)
  const again = await setUpAgain(scene)
  assert.equal(again.collection(prefix).since(0), undefined)
})

async function setUpAgain({ simulation, data }: Scene): Promise<WatchCache> {
  const cache = new WatchCache({
    store: createMemoryStore(data),
    world: simulation.process('another'),
    root: '/registry/',
    prefixes: [],
    tick: async () => {},
  })
  await simulation.settle(new Promise<void>((resolve) => void cache.run(never, resolve)))
  return cache
}

test('custom collections: one group is not another, and a cluster-wide resource has names alone', async () => {
  const scene = await setUp([
    '/registry/example.org/gadgetsets/x',
    '/registry/example.org.uk/gadgets/default/y',
  ])
  scene.put(`${prefix}default/a`, '1')
  await scene.pass()
  assert.deepEqual(keysIn(scene), ['default/a'])
  assert.deepEqual(keysIn(scene, '/registry/example.org/gadgetsets/'), ['x'])
  assert.deepEqual(keysIn(scene, '/registry/example.org.uk/gadgets/'), ['default/y'])
})

const nobodys: readonly string[] = [
  '/registry/strata.dev/ticks/',
  '/registry/strata.dev/names/',
  '/registry/strata.dev/writers/',
  '/registry/secrets/',
  '/registry/nodot/gadgets/',
  '/registry/example.org/',
  '/registry/example.org/gadgets/default/',
]

for (const prefixOfNobody of nobodys) {
  test(`custom collections: ${prefixOfNobody} is no resource`, async () => {
    const scene = await setUp([`${prefixOfNobody}x`])
    assert.throws(() => scene.cache.collection(prefixOfNobody), RangeError)
  })
}
