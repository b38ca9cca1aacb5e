import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData, type Store } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { beacon, beaconPath, call, createFleetServer } from '../support/fleet.ts'
import { VoteFleet } from '../support/vote-fleet.ts'

const never = new AbortController().signal
/** The hooks of each health check: a client that watches a rollout may use any of them. */
const hooks = ['livez', 'readyz', 'healthz'].map(
  (type) =>
    `kubernetes_healthcheck{name="poststarthook/built-in-resources-storage-version-updater",type="${type}"}`,
)
const ofBeacons = '{group="lighthouse.example.dev",resource="beacons"}'

function read(metrics: unknown, series: string): number | undefined {
  const line = String(metrics)
    .split('\n')
    .find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

function createFleet(seed: string) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const create = (instance: string, release: string, store: Store = createMemoryStore(data)): StrataServer =>
    createFleetServer({ world: simulation.process(instance), store, instance, release })
  const settle = <T>(promise: Promise<T>): Promise<T> => simulation.settle(promise)
  const start = async (instance: string, release: string): Promise<StrataServer> => {
    const server = create(instance, release)
    await settle(server.start(never))
    return server
  }
  /** The value of one series, as Prometheus would read it; undefined if there is none. */
  const value = async ({ handle }: StrataServer, series: string): Promise<number | undefined> => {
    const { body } = await settle(call(handle, 'GET', '/metrics'))
    return read(body, series)
  }
  const sleep = (ms: number): Promise<void> =>
    settle(new Promise((resolve) => simulation.clock.after(ms, resolve)))
  return { simulation, data, create, start, settle, value, sleep }
}

/** The same store, but entries about secrets are not stored until they are let go. */
function withHeldSecrets(store: Store): { readonly store: Store; readonly letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const isHeld = (key: string): boolean => key.endsWith('/storageagreements/core.secrets')
  const commit: Store['commit'] = async (write, signal) => {
    if (write.writes.some(({ key }) => isHeld(key))) await promise
    return store.commit(write, signal)
  }
  return { store: { ...store, commit }, letGo: resolve }
}

test('metrics: while an entry is not stored the hook is 0, writes are refused and counted, and afterwards all is well', async () => {
  const { data, create, settle, value, sleep } = createFleet('pending')
  const held = withHeldSecrets(createMemoryStore(data))
  const server = create('a', 'x+1', held.store)
  const started = server.start(never)
  await sleep(3_000)
  for (const hook of hooks) assert.equal(await value(server, hook), 0, hook)
  assert.equal(await value(server, 'strata_storage_version_registration_pending'), 1)
  assert.equal(await value(server, 'strata_storage_version_registration_complete_seconds'), undefined)
  const refused = await settle(
    call(server.handle, 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'one' } }),
  )
  assert.equal(refused.status, 503)
  assert.equal(await value(server, 'strata_write_gate_refusals_total{reason="registration-pending"}'), 1)

  held.letGo()
  await settle(started)
  for (const hook of hooks) assert.equal(await value(server, hook), 1, hook)
  assert.equal(await value(server, 'strata_storage_version_registration_pending'), 0)
  const complete = await value(server, 'strata_storage_version_registration_complete_seconds')
  assert.ok(complete !== undefined && complete >= 3, `complete after ${complete} s`)
  const count = await value(server, 'strata_storage_version_registration_duration_seconds_count')
  const late = 'strata_storage_version_registration_duration_seconds_bucket{le="2"}'
  assert.equal(await value(server, late), (count ?? 0) - 1, 'all but one were stored at once')
  assert.equal(await value(server, 'strata_storage_agreement_agreed{group="",resource="secrets"}'), 1)
})

test('metrics P16: disagreement is counted from when it began, and what it took to agree', async () => {
  const { start, settle, value, sleep } = createFleet('disagree')
  const a = await start('a', 'x+1')
  const b = await start('b', 'x+1')
  assert.equal(await value(a, `strata_storage_agreement_agreed${ofBeacons}`), 1)
  assert.equal(await value(a, `strata_storage_agreement_disagreement_seconds${ofBeacons}`), 0)
  await settle(b.stop(1_000))
  const newer = await start('b', 'x+2')
  await sleep(100_000)
  assert.equal(await value(a, `strata_storage_agreement_agreed${ofBeacons}`), 0)
  const seconds = await value(a, `strata_storage_agreement_disagreement_seconds${ofBeacons}`)
  assert.ok(seconds !== undefined && seconds >= 100 && seconds < 110, `${seconds} s`)
  // One that comes later believes the record.
  const late = await start('c', 'x+2')
  const believed = await value(late, `strata_storage_agreement_disagreement_seconds${ofBeacons}`)
  assert.ok(believed !== undefined && Math.abs(believed - seconds) < 5, `${believed} s`)
  await settle(a.stop(1_000))
  await sleep(1_000)
  assert.equal(await value(newer, `strata_storage_agreement_agreed${ofBeacons}`), 1)
  assert.equal(await value(newer, `strata_storage_agreement_disagreement_seconds${ofBeacons}`), 0)
  assert.equal(await value(newer, `strata_storage_agreement_epoch${ofBeacons}`), 3)
  const buckets = 'strata_storage_agreement_reached_duration_seconds_bucket'
  const under = await value(newer, `${buckets}{le="60"}`)
  assert.equal(await value(newer, `${buckets}{le="300"}`), (under ?? 0) + 1, 'one took minutes')
})

/** The same store, but its watches get everything a little later. */
function withLateWatch(store: Store, pause: () => Promise<void>): Store {
  async function* watch(...parameters: Parameters<Store['watch']>) {
    for await (const events of store.watch(...parameters)) {
      await pause()
      yield events
    }
  }
  return { ...store, watch }
}

test('metrics: a guard that breaks is counted, and what was done about it', async () => {
  const { data, create, start, settle, value, simulation } = createFleet('guards')
  const pause = (): Promise<void> => new Promise((resolve) => simulation.clock.after(50, resolve))
  const a = create('a', 'x+1', withLateWatch(createMemoryStore(data), pause))
  await settle(a.start(never))
  await start('b', 'x+1')
  const written = await settle(call(a.handle, 'POST', beaconPath('v1'), beacon('v1', 'one', 5)))
  assert.equal(written.status, 201, JSON.stringify(written.body))
  assert.equal(await value(a, 'strata_fence_broken_guards_total'), 1, 'the other one has joined since')
  assert.equal(await value(a, 'strata_fence_retries_total{outcome="retry"}'), 1)
})

test('metrics: a resource that is gone has no series, and no alarm', async () => {
  const { start, settle, value, sleep } = createFleet('gone')
  const a = await start('a', 'x+1')
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const schema = { openAPIV3Schema: { type: 'object' } }
  const spec = {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'gizmos', kind: 'Gizmo' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  }
  const made = await settle(call(a.handle, 'POST', crds, { metadata: { name: 'gizmos.example.dev' }, spec }))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await sleep(3_000)
  const series = 'strata_storage_agreement_agreed{group="example.dev",resource="gizmos"}'
  assert.equal(await value(a, series), 1)
  assert.equal((await settle(call(a.handle, 'DELETE', `${crds}/gizmos.example.dev`))).status, 200)
  await sleep(3_000)
  assert.equal(await value(a, series), undefined)
})

test('metrics: a vote that moves is counted, and so is who refuses writes because of it', async () => {
  const fleet = new VoteFleet('votes')
  const value = async (name: string, series: string) =>
    read((await fleet.ask(name, 'GET', '/metrics')).body, series)
  for (const name of ['a', 'b']) await fleet.start(name, 'x+1')
  for (const name of ['a', 'b']) await fleet.restart(name, 'x+2')
  await fleet.pass(1_000)
  const moved = `strata_storage_version_selection_changes_total${ofBeacons}`
  assert.equal(await value('a', moved), 1)
  assert.equal(
    await value('b', 'strata_agreement_view_age_seconds'),
    undefined,
    'strict servers need no view',
  )
  // Release x cannot write what is selected.
  fleet.launch('c', 'x')
  await fleet.pass(5_000)
  const refused = await fleet.ask('c', 'POST', beaconPath('v1'), beacon('v1', 'one', 5))
  assert.equal(refused.status, 503, JSON.stringify(refused.body))
  assert.equal(await value('c', 'strata_write_gate_refusals_total{reason="cannot-encode"}'), 1)
  // It waits for the others, and to end it would not help: alive, and not ready.
  const [live, ready, healthy] = hooks as [string, string, string]
  assert.deepEqual([await value('c', live), await value('c', ready), await value('c', healthy)], [1, 0, 1])
})

test('metrics: a loose server says how old its view is, and counts what it refuses because of that', async () => {
  const fleet = new VoteFleet('loose view')
  let isCutOff = false
  await fleet.start('a', 'x+1', {
    guarantee: 'loose',
    wrap: (store) => ({
      ...store,
      // The barrier's question.
      read: (keys, signal) =>
        isCutOff && keys.length === 1 && keys[0]?.endsWith('/incarnation')
          ? Promise.reject(new Error('cut off'))
          : store.read(keys, signal),
    }),
  })
  const value = async (series: string) => read((await fleet.ask('a', 'GET', '/metrics')).body, series)
  await fleet.pass(30_000)
  const fresh = await value('strata_agreement_view_age_seconds')
  assert.ok(fresh !== undefined && fresh <= 11, `${fresh} s`)
  assert.equal(await value(`strata_storage_agreement_fenced${ofBeacons}`), 0)
  isCutOff = true
  await fleet.pass(90_000)
  assert.match(await fleet.write('a', 'one'), /^503 this server's view/)
  const old = await value('strata_agreement_view_age_seconds')
  assert.ok(old !== undefined && old > 80, `${old} s`)
  assert.equal(await value('strata_write_gate_refusals_total{reason="stale-view"}'), 1)
})
