import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '@strata/api'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData, type Store } from '@strata/server/store'
import { type SimProcess, Simulation } from '@strata/world/sim'
import { call, createFleetServer, type FleetServerOptions } from '../support/fleet.ts'

const never = new AbortController().signal

interface Member {
  readonly server: StrataServer
  readonly process: SimProcess
}

function createFleet(seed: string) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const settle = <T>(promise: Promise<T>): Promise<T> => simulation.settle(promise)
  const launch = (
    instance: string,
    release: string,
    more: Partial<FleetServerOptions> & { wrap?: (store: Store) => Store } = {},
  ): Member & { readonly started: Promise<void> } => {
    const process = simulation.process(instance)
    const { wrap = (store: Store) => store, ...options } = more
    const store = wrap(createMemoryStore(data))
    const server = createFleetServer({
      world: process,
      store,
      instance,
      release,
      agreementEvents: true,
      ...options,
    })
    const started = server.start(never)
    started.catch(() => {})
    return { server, process, started }
  }
  const start = async (...how: Parameters<typeof launch>): Promise<Member> => {
    const { started, ...member } = launch(...how)
    await settle(started)
    return member
  }
  const sleep = (ms: number): Promise<void> =>
    settle(new Promise((resolve) => simulation.clock.after(ms, resolve)))
  const events = async ({ server }: Member): Promise<string[]> => {
    const { body } = await settle(call(server.handle, 'GET', '/api/v1/namespaces/default/events'))
    return (body.items as Event[]).map(
      ({ type, reason, involvedObject }) => `${type} ${reason} ${involvedObject?.name}`,
    )
  }
  return { data, launch, start, sleep, settle, events }
}

const lost = 'Warning StorageVersionDisagreed lighthouse.example.dev.beacons'
const reached = 'Normal StorageVersionAgreed lighthouse.example.dev.beacons'

test('events: an upgrade makes one event for the whole fleet, and restarts make none', async () => {
  const { start, sleep, settle, events } = createFleet('upgrade')
  const members = [await start('a', 'x+1'), await start('b', 'x+1'), await start('c', 'x+1')]
  await sleep(60_000)
  const [first] = members as [Member]
  assert.deepEqual(await events(first), [], 'a fleet that starts has nothing to tell')
  await settle((members[2] as Member).server.stop(1_000))
  members[2] = await start('c', 'x+1')
  await sleep(60_000)
  assert.deepEqual(await events(first), [], 'a restart has nothing to tell')
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    await settle((members[index] as Member).server.stop(1_000))
    members[index] = await start(name, 'x+2')
    await sleep(60_000)
  }
  const all = await events(members[0] as Member)
  assert.deepEqual(all.sort(), [reached, lost].sort())
})

// Otherwise: a fleet that was started with two releases never says that it does not agree.
test('events: a fleet that has never agreed says so, once, when it has had the time to', async () => {
  const { start, sleep, events } = createFleet('never agreed')
  const a = await start('a', 'x+1')
  await start('b', 'x+2')
  await sleep(20_000)
  assert.deepEqual(await events(a), [], 'it may still be starting')
  await sleep(20_000)
  assert.deepEqual(await events(a), [lost])
  a.process.crash()
  const c = await start('c', 'x+2')
  await sleep(240_000)
  assert.deepEqual(await events(c), [lost], 'each server writes the same event')
})

test('events: who came into a disagreement tells of its end, also if that comes soon', async () => {
  const { start, sleep, settle, events } = createFleet('came into it')
  const a = await start('a', 'x+1')
  await sleep(10_000)
  const b = await start('b', 'x+2')
  await sleep(8_000)
  await settle(a.server.stop(1_000))
  await sleep(60_000)
  assert.deepEqual((await events(b)).sort(), [reached, lost].sort())
})

test('events: when the one that tells is killed in the middle, another one does', async () => {
  const { start, sleep, events } = createFleet('killed')
  const teller = await start('a', 'x+1')
  await sleep(2_000)
  const other = await start('b', 'x+1')
  await sleep(60_000)
  const late = await start('c', 'x+2')
  for (const { process } of [teller, late]) process.crash()
  await sleep(20_000)
  assert.deepEqual(await events(other), [], 'it is waited for')
  await sleep(60_000)
  assert.deepEqual(await events(other), [lost])
})

test('events: that they cannot be written stands in the way of nothing', async () => {
  const { start, sleep, settle } = createFleet('no events')
  const wrap = (store: Store): Store => ({
    ...store,
    commit: (write, signal) =>
      write.writes.some(({ key }) => key.startsWith('/registry/events/'))
        ? Promise.reject(new Error('no room for events'))
        : store.commit(write, signal),
  })
  const a = await start('a', 'x+1', { wrap })
  await sleep(10_000)
  await start('b', 'x+2', { wrap })
  await sleep(120_000)
  assert.ok(a.server.ready)
  const { body } = await settle(call(a.server.handle, 'GET', '/metrics'))
  const failed = /strata_agreement_events_total\{result="failed"\} (\d+)/.exec(String(body))?.[1]
  assert.equal(failed, '1')
})

test('events: what a hundred resources do at once is one Event', async () => {
  const { start, sleep, events, settle } = createFleet('hundred')
  const a = await start('a', 'x+1')
  await sleep(10_000)
  const crd = (index: number, storage: 'v1' | 'v2') => ({
    metadata: { name: `gizmo${index}s.example.dev` },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: `gizmo${index}s`, kind: `Gizmo${index}` },
      versions: ['v1', 'v2'].map((name) => ({
        ...{ name, served: true, storage: name === storage },
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    },
  })
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (let index = 0; index < 12; index++) await settle(call(a.server.handle, 'POST', path, crd(index, 'v1')))
  await sleep(30_000)
  assert.deepEqual(await events(a), [])
  for (let index = 0; index < 12; index++) {
    const { name } = crd(index, 'v1').metadata
    const { body } = await settle(call(a.server.handle, 'GET', `${path}/${name}`))
    const changed = { ...body, spec: { ...body.spec, versions: crd(index, 'v2').spec.versions } }
    assert.equal((await settle(call(a.server.handle, 'PUT', `${path}/${name}`, changed))).status, 200)
  }
  await sleep(30_000)
  assert.deepEqual(await events(a), ['Normal StorageVersionAgreed example.dev.gizmo0s'])
})

test('events: a recording gap makes an event when it begins and when it ends, one for all records', async () => {
  const { start, sleep, settle, events } = createFleet('gap')
  const a = await start('a', 'x+1')
  await sleep(60_000)
  const b = await start('b', 'x+1', { featureGates: { StorageVersionAPI: false } })
  await sleep(60_000)
  const gaps = async (): Promise<string[]> =>
    (await events(a)).filter((each) => each.startsWith('Warning RecordingGap'))
  const begun = await gaps()
  assert.ok(begun.length > 0, 'it has begun')
  await settle(b.server.stop(1_000))
  await sleep(60_000)
  assert.ok((await gaps()).length > begun.length, 'it has ended')
})

test('events: the other servers report one that cannot write the selected version', async () => {
  const { start, sleep, events, launch } = createFleet('refusal')
  const a = await start('a', 'x+1', { form: 'vote' })
  await sleep(60_000)
  launch('c', 'x+3', { form: 'vote' })
  await sleep(60_000)
  const refused = (await events(a)).filter((each) => each.includes('WritesRefused'))
  assert.deepEqual(refused, ['Warning WritesRefused lighthouse.example.dev.beacons'])
})
