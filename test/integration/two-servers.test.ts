import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData, readOne } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import {
  agreementPath,
  beacon,
  beaconPath,
  call,
  createFleetServer,
  storageVersionPath,
} from '../support/fleet.ts'
import { openWatch } from '../support/open-watch.ts'

const never = new AbortController().signal
const key = (name: string): string => `/registry/lighthouse.example.dev/beacons/default/${name}`

async function storedVersion(data: MemoryData, name: string): Promise<string> {
  const entry = await readOne(createMemoryStore(data), key(name), never)
  assert.ok(entry, `${name} is not stored`)
  return JSON.parse(Buffer.from(entry.value).toString()).apiVersion
}

interface Fleet {
  readonly data: MemoryData
  start(name: string, release: string): Promise<StrataServer>
  /** Runs the simulation until the promise is settled. */
  settle<T>(promise: Promise<T>): Promise<T>
  sleep(ms: number): Promise<void>
}

function createFleet(seed: string): Fleet {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const settle = <T>(promise: Promise<T>): Promise<T> => simulation.settle(promise)
  return {
    data,
    settle,
    sleep: (ms) => settle(new Promise((resolve) => simulation.clock.after(ms, resolve))),
    start: async (name, release) => {
      const world = simulation.process(name)
      const server = createFleetServer({ world, store: createMemoryStore(data), instance: name, release })
      await settle(server.start(never))
      return server
    },
  }
}

test('two servers: what one writes the other reads at once', async () => {
  const { start, settle } = createFleet('write here, read there')
  const a = await start('a', 'x+1')
  const b = await start('b', 'x+1')
  const created = await settle(call(a.handle, 'POST', beaconPath('v1'), beacon('v1', 'one', 5)))
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const read = await settle(call(b.handle, 'GET', beaconPath('v2', 'one')))
  assert.equal(read.status, 200)
  assert.equal(read.body.spec.periodMs, 5000)
  assert.equal(read.body.metadata.resourceVersion, created.body.metadata.resourceVersion)
  const listed = await settle(call(b.handle, 'GET', beaconPath('v1')))
  assert.deepEqual(
    listed.body.items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ['one'],
  )
})

test('two servers: one that has just started goes on with a watch that began at the other', async () => {
  const { start, settle, sleep } = createFleet('watch here, go on there')
  const a = await start('a', 'x+1')
  const first = await settle(call(a.handle, 'POST', beaconPath('v1'), beacon('v1', 'one', 5)))
  await settle(call(a.handle, 'POST', beaconPath('v1'), beacon('v1', 'two', 5)))
  await settle(call(a.handle, 'DELETE', beaconPath('v1', 'one')))
  const b = await start('b', 'x+1')
  const { resourceVersion } = first.body.metadata
  const query = `?watch=true&resourceVersion=${resourceVersion}`
  const watch = await settle(openWatch(b, `${beaconPath('v1')}${query}`))
  await sleep(10)
  assert.deepEqual(
    watch.events.map(({ type, object }) => `${type} ${object.metadata?.name}`),
    ['ADDED two', 'DELETED one'],
  )
})

test('two servers: a rolling upgrade shows disagreement, then agreement, and never an unrecorded version', async () => {
  const { start, settle, data, sleep } = createFleet('rolling upgrade')
  const oldA = await start('a', 'x+1')
  const oldB = await start('b', 'x+1')
  const agreement = async (server: StrataServer) =>
    (await settle(call(server.handle, 'GET', agreementPath))).body

  const before = await agreement(oldA)
  assert.equal(before.status.agreedVersion, 'lighthouse.example.dev/v1')
  assert.equal(before.status.servers.length, 2)

  await settle(oldB.stop(5_000))
  const newB = await start('b', 'x+2')
  await sleep(1_000)
  const during = await agreement(oldA)
  assert.equal(during.status.agreedVersion, undefined)
  assert.equal(during.status.epoch, before.status.epoch + 1)
  await settle(call(oldA.handle, 'POST', beaconPath('v1'), beacon('v1', 'from-old', 5)))
  await settle(call(newB.handle, 'POST', beaconPath('v1'), beacon('v1', 'from-new', 5)))
  assert.equal(await storedVersion(data, 'from-old'), 'lighthouse.example.dev/v1')
  assert.equal(await storedVersion(data, 'from-new'), 'lighthouse.example.dev/v2')

  await settle(oldA.stop(5_000))
  await start('a', 'x+2')
  await sleep(1_000)
  const after = await agreement(newB)
  assert.equal(after.status.agreedVersion, 'lighthouse.example.dev/v2')
  const projection = (await settle(call(newB.handle, 'GET', storageVersionPath))).body
  assert.equal(projection.status.commonEncodingVersion, 'lighthouse.example.dev/v2')
  assert.equal(projection.status.storageVersions.length, 2)
})

test('two servers: an update in no other way than the version rewrites what is stale, and only that', async () => {
  const { start, settle, data } = createFleet('no-op')
  const old = await start('a', 'x+1')
  const made = await settle(call(old.handle, 'POST', beaconPath('v2'), beacon('v2', 'one', 5)))
  await settle(old.stop(5_000))
  const server = await start('a', 'x+2')
  assert.equal(await storedVersion(data, 'one'), 'lighthouse.example.dev/v1')
  const first = await settle(call(server.handle, 'PUT', beaconPath('v2', 'one'), made.body))
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal(await storedVersion(data, 'one'), 'lighthouse.example.dev/v2')
  assert.notEqual(first.body.metadata.resourceVersion, made.body.metadata.resourceVersion)
  assert.equal(first.body.metadata.generation, made.body.metadata.generation)
  const second = await settle(call(server.handle, 'PUT', beaconPath('v2', 'one'), first.body))
  assert.equal(second.body.metadata.resourceVersion, first.body.metadata.resourceVersion)
})
