import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  beaconState,
  migrationsPath,
  ownMigrationsPath,
  provenIn,
  statesPath,
  TriggerFleet,
} from '../support/trigger-fleet.ts'

const hash = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
const [v1, v2] = ['v1', 'v2'].map((name) => hash(`lighthouse.example.dev/${name}/Beacon`)) as [string, string]
const off = { featureGates: { StorageVersionAPI: false } }

test('trigger: on a new store every resource has its state, and nothing is migrated', async () => {
  const fleet = new TriggerFleet('trigger-new')
  await fleet.addServer('a', 'x+1')
  fleet.startTrigger('t', ['a'])
  await fleet.until('beacons have a state', async () => (await fleet.persisted()) !== '')
  await fleet.pass(5_000)
  const states = await fleet.states()
  assert.ok(states.length > 15, `${states.length} states`)
  for (const { metadata, status } of states) {
    assert.deepEqual(
      status?.persistedStorageVersionHashes,
      [status?.currentStorageVersionHash],
      String(metadata.name),
    )
  }
  assert.equal(await fleet.persisted(), v1)
  assert.deepEqual(await fleet.migrationNames(), [])
})

test('trigger: a rolling upgrade: both versions may be stored, a migration is asked for when all agree, and proof ends it', async () => {
  const fleet = new TriggerFleet('trigger-roll')
  const stopA = await fleet.addServer('a', 'x+1')
  const stopB = await fleet.addServer('b', 'x+1')
  fleet.startTrigger('t', ['a', 'b'])
  await fleet.until('there is a state', async () => (await fleet.persisted()) === v1)

  await stopA()
  await fleet.addServer('a', 'x+2')
  await fleet.until(
    'both may be stored',
    async () => (await fleet.persisted()) === `${v1}, ${v2}` || (await fleet.persisted()) === `${v2}, ${v1}`,
  )
  assert.equal((await fleet.state())?.status?.currentStorageVersionHash, undefined)
  assert.deepEqual(await fleet.migrationNames(), [])

  await stopB()
  await fleet.addServer('b', 'x+2')
  await fleet.until('a migration is asked for', async () => (await fleet.migrationNames()).length > 0)
  const epoch = await fleet.epoch()
  const name = `${beaconState}-epoch-${epoch}`
  assert.deepEqual(await fleet.migrationNames(), [name])
  const [migration] = await fleet.migrations()
  assert.deepEqual(migration?.spec.resource, {
    group: 'lighthouse.example.dev',
    version: 'v2',
    resource: 'beacons',
  })
  await fleet.finish(name, 'Succeeded', provenIn(epoch))
  await fleet.until('it is proven', async () => (await fleet.persisted()) === v2)
  await fleet.pass(30_000)
  assert.deepEqual(await fleet.migrationNames(), [name])
})

test("trigger: what a migration of upstream's own kind has proven counts too", async () => {
  const fleet = new TriggerFleet('trigger-groups')
  const stopA = await fleet.addServer('a', 'x+1')
  await fleet.addServer('b', 'x+2')
  fleet.startTrigger('t', ['b'])
  await stopA()
  await fleet.until('a migration is asked for', async () => (await fleet.migrationNames()).length > 0)
  assert.notEqual(await fleet.persisted(), v2)
  const made = await fleet.ask('b', 'POST', ownMigrationsPath, {
    ...{ apiVersion: 'storagemigration.k8s.io/v1', kind: 'StorageVersionMigration' },
    metadata: { name: 'by-hand' },
    spec: { resource: { group: 'lighthouse.example.dev', resource: 'beacons' } },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await fleet.finish('by-hand', 'Succeeded', provenIn(await fleet.epoch()), ownMigrationsPath)
  await fleet.until('it is proven', async () => (await fleet.persisted()) === v2)
})

test('trigger: a rollback in the middle cancels what runs', async () => {
  const fleet = new TriggerFleet('trigger-back')
  await fleet.addServer('a', 'x+1')
  const stopB = await fleet.addServer('b', 'x+1')
  fleet.startTrigger('t', ['a'])
  await fleet.until('there is a state', async () => (await fleet.persisted()) === v1)
  await stopB()
  const stopNew = await fleet.addServer('b', 'x+2')
  await fleet.pass(3_000)
  await stopNew()
  await fleet.until('a migration back is asked for', async () => (await fleet.migrationNames()).length > 0)
  const [back] = await fleet.migrationNames()
  await fleet.addServer('b', 'x+2')
  await fleet.until('it is cancelled', async () => (await fleet.migrationNames()).length === 0)
  assert.match(back ?? '', /-epoch-\d+$/)
})

test('trigger: A, B, A while no trigger runs: what was in between may be stored, and is migrated', async () => {
  const fleet = new TriggerFleet('trigger-aba')
  await fleet.addServer('a', 'x+1')
  const trigger = fleet.startTrigger('t', ['a'])
  await fleet.until('there is a state', async () => (await fleet.persisted()) === v1)
  fleet.crash(trigger)
  const stopB = await fleet.addServer('b', 'x+2')
  await fleet.write('b', 'between')
  await stopB()
  await fleet.pass(1_000)
  assert.equal(await fleet.persisted(), v1)
  fleet.startTrigger('u', ['a'])
  await fleet.until('it is seen', async () => (await fleet.persisted()).split(', ').includes(v2))
  await fleet.until('it is migrated', async () => (await fleet.migrationNames()).length === 1)
  assert.ok((await fleet.persisted()).split(', ').includes(v1))
})

test('trigger: recording on, off, a write, on again: Unknown is among what may be stored', async () => {
  const fleet = new TriggerFleet('trigger-gap')
  const stopA = await fleet.addServer('a', 'x+1')
  const trigger = fleet.startTrigger('t', ['a', 'b', 'c'])
  await fleet.until('there is a state', async () => (await fleet.persisted()) === v1)
  await stopA()
  const stopB = await fleet.addServer('b', 'x+2', off)
  await fleet.write('b', 'unrecorded')
  await fleet.until('the gap is seen', async () => (await fleet.persisted()).split(', ').includes('Unknown'))
  assert.deepEqual(await fleet.migrationNames(), [])
  await stopB()
  await fleet.addServer('c', 'x+1')
  await fleet.until('beacons are migrated', async () =>
    (await fleet.migrationNames()).some((name) => name.startsWith(beaconState)),
  )
  assert.ok((await fleet.persisted()).split(', ').includes('Unknown'))
  const epoch = await fleet.epoch()
  await fleet.finish(`${beaconState}-epoch-${epoch}`, 'Succeeded', provenIn(epoch))
  await fleet.until('it is known again', async () => (await fleet.persisted()) === v1)
  trigger.stop.abort()
})

test('trigger: a state that is deleted comes back as Unknown, and a migration with it', async () => {
  const fleet = new TriggerFleet('trigger-delete')
  await fleet.addServer('a', 'x+1')
  fleet.startTrigger('t', ['a'])
  await fleet.until('there is a state', async () => (await fleet.persisted()) === v1)
  await fleet.pass(3_000)
  await fleet.ask('a', 'DELETE', `${statesPath}/${beaconState}`)
  await fleet.until('it is back', async () => (await fleet.persisted()) === `Unknown, ${v1}`)
  await fleet.until('it is migrated', async () => (await fleet.migrationNames()).length === 1)
  // A failure proves nothing.
  const epoch = await fleet.epoch()
  await fleet.finish(`${beaconState}-epoch-${epoch}`, 'Failed', provenIn(epoch))
  await fleet.pass(5_000)
  assert.equal(await fleet.persisted(), `Unknown, ${v1}`)
})

test('trigger: the next leader makes no second migration, and two at once make one', async () => {
  const fleet = new TriggerFleet('trigger-twice')
  const stop = await fleet.addServer('a', 'x+1')
  await stop()
  await fleet.addServer('a', 'x+2')
  // From before the first trigger: the record knows both, and there was no state.
  const both = ['t', 'u'].map((name) => fleet.startTrigger(name, ['a']))
  await fleet.until('it is migrated', async () => (await fleet.migrationNames()).length > 0)
  const names = await fleet.migrationNames()
  const uids = (await fleet.migrations()).map(({ metadata }) => metadata.uid)
  const [first] = both.filter(({ acts }) => acts.some((each) => each.includes('storagestates')))
  assert.ok(first, 'one of them leads')
  fleet.crash(first)
  await fleet.pass(60_000)
  assert.deepEqual(await fleet.migrationNames(), names)
  assert.deepEqual(
    (await fleet.migrations()).map(({ metadata }) => metadata.uid),
    uids,
  )
})

test('trigger: a migration that another client created is not touched', async () => {
  const fleet = new TriggerFleet('trigger-theirs')
  await fleet.addServer('a', 'x+1')
  fleet.startTrigger('t', ['a'])
  await fleet.until('there is a state', async () => (await fleet.persisted()) === v1)
  const resource = { group: 'lighthouse.example.dev', version: 'v1', resource: 'beacons' }
  const theirs = {
    apiVersion: 'migration.k8s.io/v1alpha1',
    kind: 'StorageVersionMigration',
    metadata: { name: 'theirs' },
    spec: { resource },
  }
  assert.equal((await fleet.ask('a', 'POST', migrationsPath, theirs)).status, 201)
  const stopB = await fleet.addServer('b', 'x+2')
  await fleet.pass(3_000)
  await stopB()
  await fleet.until('ours is there', async () => (await fleet.migrationNames()).length === 2)
  assert.ok((await fleet.migrationNames()).includes('theirs'))
})
