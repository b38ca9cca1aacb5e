import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceDefinition } from '@strata/api'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { sleep, type Transport, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { beacons } from '../../examples/lighthouse/beacon.ts'
import { pairTrust } from '../support/aggregated-pair.ts'
import { beacon, beaconPath, createFleetServer } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

const others = {
  ...(beacons as unknown as ResourceDefinition),
  ...{ group: 'other.example.dev', storagePrefix: 'other.example.dev/beacons' },
}
const toNowhere: Transport = async ({ target }) => {
  // Every namespace is there. Administrators need no other answer.
  assert.ok(target.startsWith('/api/v1/namespaces/'), target)
  return { status: 200, headers: {}, body: utf8.encode('{"metadata":{}}') }
}
const aggregated = { aggregated: { aggregator: toNowhere, trust: pairTrust }, resources: [others] }
const root = '/apis/lighthouse.example.dev/v1'
const name = 'lighthouse.example.dev.beacons'
const type = { apiVersion: 'strata.dev/v1alpha1' }

test('in-group storage resources: a group shows its own records, as objects of strata.dev', async () => {
  const { send, simulation, server } = await startServer('in-group records', aggregated)
  for (const versionName of ['v1', 'v2']) {
    const path = `/apis/lighthouse.example.dev/${versionName}/storageagreements`
    const own = await send('GET', `/apis/strata.dev/v1alpha1/storageagreements/${name}`)
    assert.deepEqual((await send('GET', `${path}/${name}`)).body, own.body)
    const list = (await send('GET', path)).body
    assert.deepEqual([list.kind, list.apiVersion], ['StorageAgreementList', 'strata.dev/v1alpha1'])
    assert.deepEqual(
      list.items.map((each: typeof own.body) => each.metadata.name),
      [name],
    )
  }
  for (const other of ['other.example.dev.beacons', 'core.namespaces', 'lighthouse.example.dev.none']) {
    const { status, body } = await send('GET', `${root}/storageagreements/${other}`)
    assert.deepEqual([status, body.message], [404, `storageagreements.strata.dev "${other}" not found`])
  }
  const selected = await send(
    'GET',
    `${root}/storageagreements?fieldSelector=metadata.name%3Dother.example.dev.beacons`,
  )
  assert.deepEqual(selected.body.items, [])
  const paged = await send('GET', `${root}/storageagreements?limit=1`)
  assert.deepEqual(paged.body.items.length, 1)
  for (const [method, path] of [
    ['PUT', `/${name}`],
    ['PATCH', `/${name}`],
    ['DELETE', `/${name}`],
    ['DELETE', ''],
    ['POST', ''],
  ] as const) {
    assert.equal((await send(method, `${root}/storageagreements${path}`, {})).status, 405)
  }
  const watch = await simulation.settle(openWatch(server, `${root}/storageagreements?watch=true`))
  await simulation.settle(sleep(simulation.process('time').clock, 100))
  watch.cut()
  assert.deepEqual(
    watch.events.map(({ object }) => object.metadata?.name),
    [name],
  )
})

test('in-group storage resources: questions about another group are refused', async () => {
  const { send } = await startServer('in-group reviews', aggregated)
  assert.equal((await send('POST', beaconPath('v1'), beacon('v1', 'a', 5))).status, 201)
  const spec = { group: 'lighthouse.example.dev', resource: 'beacons' }
  const census = { ...type, kind: 'StorageCensus' }
  const counted = await send('POST', `${root}/storagecensuses`, { ...census, spec })
  assert.deepEqual(
    [counted.status, counted.body.apiVersion, counted.body.status?.total],
    [201, type.apiVersion, 1],
  )
  for (const [plural, kind] of [
    ['storagecensuses', 'StorageCensus'],
    ['storagereencodes', 'StorageReencode'],
  ]) {
    for (const group of ['other.example.dev', '']) {
      const asked = { ...type, kind, spec: { ...spec, group } }
      const { status, body } = await send('POST', `${root}/${plural}`, asked)
      assert.equal(status, 422, JSON.stringify(body))
      const fields = body.details.causes.map((each: { field: string }) => each.field)
      assert.ok(fields.includes('spec.group'), fields.join())
      assert.match(body.message, /must be "lighthouse\.example\.dev", the group of the request path/)
    }
  }
})

test('in-group storage resources: discovery and OpenAPI name the kind of strata.dev', async () => {
  const { send } = await startServer('in-group discovery', aggregated)
  const listed = (await send('GET', root)).body
  assert.equal(listed.groupVersion, 'lighthouse.example.dev/v1')
  const kind = { group: 'strata.dev', version: 'v1alpha1', kind: 'StorageAgreement' }
  assert.deepEqual(
    listed.resources.find((each: { name: string }) => each.name === 'storageagreements'),
    {
      ...{ name: 'storageagreements', singularName: 'storageagreement', namespaced: false, ...kind },
      verbs: ['get', 'list', 'watch'],
    },
  )
  const accept = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }
  const { items } = (await send('GET', '/apis', undefined, accept)).body
  const group = items.find(
    (each: { metadata: { name: string } }) => each.metadata.name === 'lighthouse.example.dev',
  )
  const shown = group.versions[0].resources.map((each: { resource: string; responseKind: object }) => [
    each.resource,
    each.responseKind,
  ])
  assert.deepEqual(shown, [
    ['beacons', { group: '', version: '', kind: 'Beacon' }],
    ['storageagreements', kind],
    ['storagecensuses', { ...kind, kind: 'StorageCensus' }],
    ['storagereencodes', { ...kind, kind: 'StorageReencode' }],
  ])
  const { paths, components } = (await send('GET', '/openapi/v3/apis/lighthouse.example.dev/v1')).body
  const { get } = paths[`${root}/storageagreements/{name}`]
  assert.deepEqual(get['x-kubernetes-group-version-kind'], kind)
  const { $ref } = get.responses['200'].content['application/json'].schema
  const schema = components.schemas[$ref.split('/').at(-1)]
  assert.deepEqual(schema['x-kubernetes-group-version-kind'], [kind])
  assert.ok(schema.properties.status)
})

test('in-group storage resources: only an aggregated server has them', async () => {
  const { send } = await startServer('in-group without')
  assert.equal((await send('GET', `${root}/storageagreements`)).status, 404)
})

test('in-group storage resources: a kind of the same name is refused at the start', () => {
  const world = new Simulation('in-group names').process('a')
  const store = createMemoryStore(new MemoryData())
  const resources = [{ ...others, plural: 'storagecensuses', resource: 'storagecensuses' }]
  assert.throws(
    () => createFleetServer({ world, store, instance: 'a', ...aggregated, resources }),
    /storagecensuses\.other\.example\.dev: an aggregated server serves storageagreements, .*another plural name/,
  )
})
