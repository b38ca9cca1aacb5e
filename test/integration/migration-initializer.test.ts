import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { type InitializerResult, initialize, installDefinitions } from '@strata/controllers'
import { builtInResources } from '@strata/server'
import { adminToken } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'
import { migrationsPath, statesPath } from '../support/trigger-fleet.ts'

const never = new AbortController().signal
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const names = ['storagestates.migration.k8s.io', 'storageversionmigrations.migration.k8s.io']

async function stage(seed: string, options: Parameters<typeof startServer>[1] = {}) {
  const { simulation, server, send } = await startServer(seed, options)
  const world = simulation.process('initializer')
  const client = createClient({ transport: server.handle, token: adminToken })
  const init = (more: { dryRun?: boolean; installCrds?: boolean } = {}): Promise<InitializerResult> =>
    simulation.settle(initialize({ world, client, ...more }, never))
  const install = (dryRun = false) => simulation.settle(installDefinitions({ world, client, dryRun }, never))
  return { init, install, send }
}

test('initializer: K1: one migration of each candidate, none that is not needed, and none twice', async () => {
  const { init, send } = await stage('init')
  // Nothing but one version was ever written on this store, and the records say so.
  const first = await init()
  assert.deepEqual(first.created, [])
  assert.ok(first.skipped.some(({ resource }) => resource === 'beacons'))
  for (const { because } of first.skipped) assert.match(because, /only .* may be stored/)
  assert.deepEqual((await send('GET', migrationsPath)).body.items, [])
})

test('initializer: where no record says otherwise, candidates are migrated', async () => {
  const { init, send } = await stage('init-elsewhere', { runtimeConfig: 'strata.dev/v1alpha1=false' })
  const rehearsed = await init({ dryRun: true })
  assert.ok(rehearsed.created.length > 0)
  assert.deepEqual((await send('GET', migrationsPath)).body.items, [])
  const { created, skipped } = await init()
  assert.deepEqual(
    created.map(({ resource }) => resource),
    rehearsed.created.map(({ resource }) => resource),
  )
  const { items } = (await send('GET', migrationsPath)).body
  assert.equal(items.length, created.length)
  assert.ok(created.some(({ resource }) => resource === 'beacons'))
  assert.ok(!created.some(({ resource }) => resource === 'events'))
  const beacons = items.find((each: { metadata: { name: string } }) =>
    each.metadata.name.startsWith('lighthouse.example.dev.v1.beacons-'),
  )
  assert.deepEqual(beacons?.spec.resource, {
    group: 'lighthouse.example.dev',
    version: 'v1',
    resource: 'beacons',
  })
  assert.deepEqual(skipped, [])
  const again = await init()
  assert.deepEqual(again.created, [])
  assert.deepEqual([...new Set(again.skipped.map(({ because }) => because))], ['a migration is under way'])
})

test('initializer: what is asked for in the other group is under way too', async () => {
  const { init, send } = await stage('init-other', { runtimeConfig: 'strata.dev/v1alpha1=false' })
  const { status } = await send('POST', '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations', {
    apiVersion: 'storagemigration.k8s.io/v1beta1',
    kind: 'StorageVersionMigration',
    metadata: { name: 'beacons' },
    spec: { resource: { group: 'lighthouse.example.dev', resource: 'beacons' } },
  })
  assert.equal(status, 201)
  const { created, skipped } = await init()
  assert.ok(created.length > 0)
  assert.deepEqual(
    skipped.map(({ resource, because }) => [resource, because]),
    [['beacons', 'a migration is under way']],
  )
})

test('initializer: kinds that are built in are left alone', async () => {
  const { install } = await stage('install-built-in')
  assert.deepEqual(
    (await install()).map(({ name, did, because }) => [name, did, because]),
    names.map((name) => [name, 'nothing', 'it is built in']),
  )
})

test('initializer: a cluster that lacks the kinds gets definitions that it accepts, and keeps what is written to them', async () => {
  const others = builtInResources.filter(({ group }) => group !== 'migration.k8s.io')
  const lacking = { builtInResources: others, runtimeConfig: 'strata.dev/v1alpha1=false' }
  const { install, init, send } = await stage('install', lacking)
  assert.equal((await send('GET', statesPath)).status, 404)
  assert.deepEqual(
    (await install(true)).map(({ did }) => did),
    ['create', 'create'],
  )
  const { definitions, created } = await init({ installCrds: true })
  assert.deepEqual(
    definitions.map(({ did }) => did),
    ['create', 'create'],
  )
  assert.ok(created.length > 0)
  for (const name of names) {
    const { status } = (await send('GET', `${crds}/${name}`)).body
    const bad = status.conditions.filter(
      ({ type, status: holds }: { type: string; status: string }) =>
        (type === 'NonStructuralSchema') === (holds === 'True'),
    )
    assert.deepEqual(bad, [])
  }
  assert.deepEqual(
    (await install()).map(({ did }) => did),
    ['nothing', 'nothing'],
  )
})
