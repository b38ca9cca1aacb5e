import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { sleep } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'

const never = new AbortController().signal
const core = '/api/v1/namespaces/default/events'
const newer = '/apis/events.k8s.io/v1/namespaces/default/events'
const merge = { 'content-type': 'application/merge-patch+json' }

const event = (name: string, more = {}) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'a' },
  reason: 'Tested',
  ...more,
})

test('events: what is written by one group is read, listed and changed by the other', async () => {
  const { send } = await startServer('two groups')
  const made = await send('POST', core, event('e', { count: 1, source: { component: 'c' } }))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { body } = await send('GET', `${newer}/e`)
  assert.equal(body.apiVersion, 'events.k8s.io/v1')
  assert.deepEqual(body.regarding, made.body.involvedObject)
  assert.equal(body.deprecatedCount, 1)
  assert.equal(body.metadata.resourceVersion, made.body.metadata.resourceVersion)
  const list = await send('GET', `${newer}?fieldSelector=regarding.name%3Da`)
  assert.deepEqual(
    list.body.items.map((each: { deprecatedSource: unknown }) => each.deprecatedSource),
    [{ component: 'c' }],
  )
  const settled = await send('PATCH', `${newer}/e`, { note: 'other' }, merge)
  assert.equal(settled.status, 422, 'an event tells what happened once and for all')
  assert.equal((await send('PATCH', `${core}/e`, { message: 'm' }, merge)).status, 200)
  assert.equal((await send('GET', `${newer}/e`)).body.note, 'm')
  const bySource = await send('GET', `${core}?fieldSelector=source%3Dc`)
  assert.equal(bySource.body.items.length, 1)
  assert.equal((await send('DELETE', `${newer}/e`)).status, 200)
  assert.equal((await send('GET', `${core}/e`)).status, 404)
})

test('events: one storage has one agreement', async () => {
  const { send } = await startServer('one agreement')
  const { body } = await send('GET', '/apis/strata.dev/v1alpha1/storageagreements')
  const names = body.items.map((each: { metadata: { name: string } }) => each.metadata.name)
  assert.deepEqual(
    names.filter((name: string) => name.endsWith('events')),
    ['core.events'],
  )
})

/** Two servers, each of which expires events after a minute; either may. */
async function startTwo(seed: string) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const start = async (instance: string) => {
    const server = createFleetServer({
      world: simulation.process(instance),
      store: createMemoryStore(data),
      instance,
      eventTtlMs: 60_000,
    })
    await simulation.settle(server.start(never))
    return (method: string, target: string, body?: unknown, headers = {}) =>
      simulation.settle(call(server.handle, method, target, body, headers))
  }
  const waitMs = (ms: number) => simulation.settle(sleep(simulation.clock, ms))
  return { start, waitMs }
}

test('events: they go a time-to-live after they were last written, and nothing else does', async () => {
  const { start, waitMs } = await startTwo('expiry')
  const a = await start('a')
  const b = await start('b')
  const longAgo = { lastTimestamp: '2001-01-01T00:00:00Z' }
  assert.equal((await a('POST', core, event('old', longAgo))).status, 201)
  assert.equal((await a('POST', core, event('renewed'))).status, 201)
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } }
  assert.equal((await a('POST', '/api/v1/namespaces/default/configmaps', map)).status, 201)
  await waitMs(50_000)
  assert.equal((await b('GET', `${core}/old`)).status, 200, 'its own idea of its age is not believed')
  assert.equal((await b('PATCH', `${core}/renewed`, { count: 2 }, merge)).status, 200)
  await waitMs(30_000)
  assert.equal((await b('GET', `${core}/old`)).status, 404)
  assert.equal((await a('GET', `${core}/renewed`)).status, 200)
  await waitMs(60_000)
  assert.equal((await a('GET', `${core}/renewed`)).status, 404)
  assert.equal((await a('GET', '/api/v1/namespaces/default/configmaps/m')).status, 200)
})

test('events: a server that starts believes the times it finds', async () => {
  const { start, waitMs } = await startTwo('restart')
  const a = await start('a')
  assert.equal((await a('POST', core, event('e'))).status, 201)
  await waitMs(55_000)
  await start('b')
  await waitMs(20_000)
  assert.equal((await a('GET', `${core}/e`)).status, 404)
})
