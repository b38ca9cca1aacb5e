import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeatureGates } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { OutboundError, type Remote, sleep, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'

const services = '/apis/apiregistration.k8s.io/v1/apiservices'
const things = '/apis/example.dev/v1/things'
const never = new AbortController().signal
const apiService = {
  ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.example.dev' } },
  spec: {
    ...{ group: 'example.dev', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
    service: { namespace: 'a', name: 'b' },
  },
}

/** Three servers, and a backend that those in `reach` can reach. */
async function startFleet(seed: string, reach: Set<string>, featureGates: Partial<FeatureGates> = {}) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const remoteOf =
    (instance: string): Remote =>
    async ({ method }) => {
      if (!reach.has(instance)) throw new OutboundError(`no route from ${instance}`)
      return { status: 200, headers: {}, body: utf8.encode(`${method} here`) }
    }
  const fleet = ['a', 'b', 'c'].map((instance) =>
    createFleetServer({
      ...{ world: simulation.process(instance), store: createMemoryStore(data), instance },
      ...{ apiServices: true, featureGates },
      aggregation: { remote: remoteOf(instance), resolveService: () => 'https://backend:1' },
    }),
  )
  await simulation.settle(Promise.all(fleet.map((each) => each.start(never))))
  const send = (index: number, method: string, path: string, body?: unknown) => {
    const server = fleet[index]
    assert.ok(server)
    return simulation.settle(call(server.handle, method, path, body))
  }
  const { clock } = simulation.process('time')
  return { fleet, send, pass: (ms: number) => simulation.settle(sleep(clock, ms, never)) }
}

test('aggregation: each server goes by what it reaches itself, and servers that disagree write seldom', async () => {
  const reach = new Set(['a', 'b'])
  const { fleet, send, pass } = await startFleet('disagreeing', reach)
  assert.equal((await send(0, 'POST', services, apiService)).status, 201)
  await pass(5_000)
  const versions = new Set<string>()
  for (let second = 0; second < 300; second++) {
    const { metadata } = (await send(0, 'GET', `${services}/v1.example.dev`)).body
    versions.add(metadata.resourceVersion)
    await pass(1_000)
  }
  // Each of three servers checks every 24 to 36 seconds, and writes at most once for each check.
  assert.ok(versions.size > 2 && versions.size < 40, `${versions.size} writes in five minutes`)
  assert.deepEqual((await send(0, 'POST', things, {})).body, 'POST here')
  assert.deepEqual((await send(1, 'GET', things)).status, 200)
  const refused = await send(2, 'GET', things)
  assert.deepEqual([refused.status, refused.body], [503, 'service unavailable\n'])
  assert.ok(fleet.every(({ ready }) => ready))

  reach.add('c')
  await pass(45_000)
  assert.equal((await send(2, 'GET', things)).status, 200)
  const { resourceVersion } = (await send(0, 'GET', `${services}/v1.example.dev`)).body.metadata
  await pass(300_000)
  const settled = (await send(0, 'GET', `${services}/v1.example.dev`)).body
  assert.deepEqual(
    [settled.metadata.resourceVersion, settled.status.conditions[0].reason],
    [resourceVersion, 'Passed'],
    'servers that agree write nothing',
  )
})

test('aggregation: coordinated discovery is about built-in documents, whatever backends do', async () => {
  const reach = new Set(['a', 'b', 'c'])
  const gates = { EnableCoordinatedDiscoveryDocument: true }
  const { send, pass } = await startFleet('coordinated', reach, gates)
  await pass(5_000)
  const hashes = '/apis/apiservercoordination.k8s.io/v1alpha1/discoverydochashes/built-in'
  const hashesOf = async () =>
    (await send(0, 'GET', hashes)).body.hashes.map((each: { builtInAPIHash: string }) => each.builtInAPIHash)
  const before = await hashesOf()
  assert.equal(new Set(before).size, 1)
  const check = async (what: string): Promise<void> => {
    assert.deepEqual(await hashesOf(), before, what)
    for (const server of [0, 1, 2]) {
      for (const path of ['/api', '/apis', '/api/v1', '/apis/apiregistration.k8s.io']) {
        assert.equal((await send(server, 'GET', path)).body.consistent, true, `${what}: ${path} of ${server}`)
      }
    }
  }
  await check('no backend')

  assert.equal((await send(0, 'POST', services, apiService)).status, 201)
  await pass(5_000)
  const { groups } = (await send(1, 'GET', '/apis')).body
  assert.ok(groups.some(({ name }: { name: string }) => name === 'example.dev'))
  await check('a backend was added')
  const group = (await send(1, 'GET', '/apis/example.dev')).body
  assert.equal(group.kind, 'APIGroup')
  assert.ok(!('consistent' in group), 'of a backend nothing is said')
  // The document of the version is the backend's own answer.
  assert.equal((await send(1, 'GET', '/apis/example.dev/v1')).body, 'GET here')

  // Servers disagree about the backend, and documents of its group differ between them: that is no inconsistency of theirs.
  reach.delete('c')
  await pass(60_000)
  assert.equal((await send(2, 'GET', things)).status, 503)
  await check('one server does not reach the backend')
  reach.clear()
  await pass(60_000)
  await check('the backend is away')

  const { body } = await send(0, 'GET', `${services}/v1.example.dev`)
  const changed = { ...body, spec: { ...body.spec, versionPriority: 99, groupPriorityMinimum: 20_000 } }
  assert.equal((await send(0, 'PUT', `${services}/v1.example.dev`, changed)).status, 200)
  await pass(5_000)
  await check('its APIService was changed')
  assert.equal((await send(0, 'DELETE', `${services}/v1.example.dev`)).status, 200)
  await pass(5_000)
  await check('it was removed')
})

test('aggregation: the Lease of an aggregated server does not make discovery inconsistent', async () => {
  const { send, pass } = await startFleet('leases', new Set(), { EnableCoordinatedDiscoveryDocument: true })
  const made = await send(0, 'POST', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    metadata: {
      ...{ name: 'aggregated-apiserver-j3agt6uezsya7e3uhyouvf6bpa' },
      labels: { 'apiserver.kubernetes.io/identity': 'aggregated-apiserver' },
    },
    spec: { holderIdentity: 'x', leaseDurationSeconds: 3600 },
  })
  assert.equal(made.status, 201)
  await pass(5_000)
  for (const server of [0, 1, 2]) assert.equal((await send(server, 'GET', '/apis')).body.consistent, true)
})
