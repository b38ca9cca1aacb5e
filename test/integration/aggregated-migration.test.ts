import assert from 'node:assert/strict'
import { test } from 'node:test'
import { observeTarget } from '@strata/controllers'
import { AggregatedFleet, originRecord } from '../support/aggregated-fleet.ts'
import { beacon, beaconPath } from '../support/fleet.ts'

const beacons = { group: 'lighthouse.example.dev', resource: 'beacons' }
const state = '/apis/migration.k8s.io/v1alpha1/storagestates/beacons.lighthouse.example.dev'
const migrations = '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'
const [v1, v2] = ['v1', 'v2'].map((name) => `lighthouse.example.dev/${name}`) as [string, string]
const never = new AbortController().signal
const root = '/apis/lighthouse.example.dev/v2'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
type Json = any

const observe = async (fleet: AggregatedFleet, isNamed = true): Promise<Json> =>
  fleet.settle(
    observeTarget({ client: fleet.client(), resource: beacons, isNamed }, never).catch((error) => ({
      error: error.code,
    })),
  )
const ourMigrations = async (fleet: AggregatedFleet): Promise<readonly Json[]> =>
  (await fleet.ask('GET', migrations)).body.items.filter(
    (each: Json) => each.spec.resource.resource === 'beacons',
  )
const conditionsOf = (migration: Json): readonly string[] =>
  (migration?.status?.conditions ?? [])
    .filter((each: Json) => each.status === 'True')
    .map((each: Json) => each.type)

test('aggregated: trigger and migrator handle a resource that other servers store, next to its data', async () => {
  const fleet = await AggregatedFleet.start('aggregated-migration')
  await fleet.startUpgraded(5)
  assert.deepEqual(fleet.stored(), { [v1]: 5 })
  fleet.startControllers()
  await fleet.until('it is migrated', async () => fleet.stored()[v2] === 5)
  await fleet.until('it says so', async () => {
    const [migration] = await ourMigrations(fleet)
    return conditionsOf(migration).includes('Succeeded')
  })
  const [{ status }] = (await ourMigrations(fleet)) as [Json]
  const { uid } = (await fleet.ask('GET', originRecord)).body.metadata
  assert.deepEqual([status.result, status.target.recordUID, status.target.how], ['Proven', uid, 'record'])
  assert.ok(fleet.writes.includes(`POST ${root}/storagereencodes`), fleet.writes.join())
  assert.ok(!fleet.writes.some((each) => each.startsWith('POST /apis/strata.dev')), fleet.writes.join())
  await fleet.until('it is clean', async () => {
    const { status: said } = (await fleet.ask('GET', state)).body
    return said?.persistedStorageVersionHashes?.length === 1
  })
  const record = (await fleet.ask('GET', originRecord)).body
  assert.deepEqual(
    record.status.persisted.map((each: Json) => each.encodingVersion),
    [v2],
  )
})

test('aggregated: without the right to count and rewrite there, each object is sent through the proxy', async () => {
  const fleet = await AggregatedFleet.start('aggregated-rights')
  await fleet.startUpgraded(5)
  fleet.refuses = { requests: /^POST .*\/storage(?:censuses|reencodes)$/, status: 403 }
  fleet.startControllers()
  await fleet.until('it says so', async () => {
    const [migration] = await ourMigrations(fleet)
    return conditionsOf(migration).includes('Succeeded')
  })
  const [{ status }] = (await ourMigrations(fleet)) as [Json]
  assert.deepEqual([fleet.stored(), status.result], [{ [v2]: 5 }, 'Proven'])
  assert.equal(fleet.writes.filter((each) => /^PATCH .*\/beacons\/b-\d$/.test(each)).length, 5)
})

test('aggregated: an old mirror lets nothing start, whether the servers disagree, say v1 or are away', async () => {
  const fleet = await AggregatedFleet.start('aggregated-old-mirror')
  await fleet.addServer('a', 'x+1')
  await fleet.register()
  const { uid: recordUID } = (await fleet.ask('GET', originRecord)).body.metadata
  await fleet.publish('v2', [{ origin: 'o', recordUID }])
  assert.equal((await observe(fleet)).target.encodingVersion, v1)
  fleet.startControllers()
  await fleet.until('it has a state', async () => (await fleet.ask('GET', state)).status === 200)
  const before = (await fleet.ask('GET', state)).body
  assert.equal(before.status.persistedStorageVersionHashes.length, 1)

  await fleet.addServer('b', 'x+2')
  assert.equal((await observe(fleet)).agreed, false)
  fleet.isCut = true
  await fleet.pass(120_000)
  assert.deepEqual(await observe(fleet), { error: 503 })
  assert.deepEqual(await ourMigrations(fleet), [])

  // A migration by name waits as well, and sends nothing.
  const spec = { resource: { ...beacons, version: 'v2' } }
  const asked = { apiVersion: 'migration.k8s.io/v1alpha1', kind: 'StorageVersionMigration', spec }
  assert.equal((await fleet.ask('POST', migrations, { ...asked, metadata: { name: 'named' } })).status, 201)
  const sent = fleet.writes.length
  await fleet.pass(60_000)
  const [named] = await ourMigrations(fleet)
  assert.ok(!conditionsOf(named).includes('Succeeded'))
  assert.deepEqual(
    fleet.writes.slice(sent).filter((each) => each.includes('lighthouse.example.dev/')),
    [],
  )
  // It goes on when they are back and agree.
  fleet.isCut = false
  await fleet.removeServer('a')
  await fleet.until('it has succeeded', async () =>
    (await ourMigrations(fleet)).some((each) => conditionsOf(each).includes('Succeeded')),
  )
})

test('aggregated: a watch that shows v2 starts nothing while the record itself cannot be read', async () => {
  const fleet = await AggregatedFleet.start('aggregated-watch-alone')
  await fleet.addServer('a', 'x+1')
  await fleet.register()
  assert.equal((await fleet.ask('POST', beaconPath('v1'), beacon('v1', 'b-0', 5))).status, 201)
  fleet.startControllers()
  await fleet.until('it has a state', async () => (await fleet.ask('GET', state)).body.status !== undefined)
  const before = (await fleet.ask('GET', state)).body
  // Lists and watches are passed on: they say that all servers have agreed on v2, and that v1 is stored.
  fleet.refuses = { requests: /^GET .*\/storageagreements\/lighthouse/, status: 503 }
  await fleet.addServer('b', 'x+2')
  await fleet.removeServer('a')
  await fleet.pass(120_000)
  assert.deepEqual([await ourMigrations(fleet), fleet.stored()], [[], { [v1]: 1 }])
  assert.deepEqual((await fleet.ask('GET', state)).body, before, 'the last state is kept')
  fleet.refuses = undefined
  await fleet.until('it is migrated', async () => fleet.stored()[v2] === 1)
})

test('aggregated: two origins for one resource never agree', async () => {
  const fleet = await AggregatedFleet.start('aggregated-two-origins')
  await fleet.startUpgraded(1)
  const { uid: recordUID } = (await fleet.ask('GET', originRecord)).body.metadata
  await fleet.until('the servers agree', async () => (await observe(fleet)).agreed)
  await fleet.publish('v2', [
    { origin: 'o', recordUID },
    { origin: 'p', recordUID: 'other' },
  ])
  assert.match((await observe(fleet)).because, /^two origins: /)
  fleet.startControllers()
  await fleet.pass(120_000)
  assert.deepEqual([await ourMigrations(fleet), fleet.stored()], [[], { [v1]: 1 }])
})

test('aggregated: servers of another make count by the StorageVersion that they write', async () => {
  const fleet = await AggregatedFleet.start('aggregated-other-make', { isStrata: false })
  await fleet.addServer('a', 'x+1')
  await fleet.register()
  fleet.startControllers({ trigger: { settleMs: 5_000 } })
  await fleet.pass(90_000)
  assert.equal((await fleet.ask('GET', state)).status, 404, 'nothing is published: it is left alone')
  await fleet.publish('v1')
  await fleet.until('it is seen', async () => (await ourMigrations(fleet)).length === 1)
  assert.deepEqual((await observe(fleet)).target.how, 'storageversion')
  const { persistedStorageVersionHashes: persisted } = (await fleet.ask('GET', state)).body.status
  assert.deepEqual([persisted.length, persisted[0]], [2, 'Unknown'])
})

test('aggregated: a StorageVersion of another make counts, also if it is read before the Leases', async () => {
  const fleet = await AggregatedFleet.start('aggregated-other-make-before', { isStrata: false })
  await fleet.addServer('a', 'x+1')
  await fleet.register()
  await fleet.publish('v1')
  fleet.refuses = { requests: /^GET \S+\/leases(\?|$)/, status: 500 }
  fleet.startControllers({ trigger: { settleMs: 5_000 } })
  await fleet.pass(60_000)
  assert.deepEqual(await ourMigrations(fleet), [])
  fleet.refuses = undefined
  await fleet.until('it is seen', async () => (await ourMigrations(fleet)).length === 1)
})
