import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeatureGates } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { type HttpResponse, OutboundError, type Remote, type RemoteRequest, sleep, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { adminToken, call, createFleetServer } from '../support/fleet.ts'

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

/** One server, and a backend that can fail, freeze and thaw. */
async function startBackend(seed: string) {
  const simulation = new Simulation(seed)
  const state = { answers: 200 as number | 'frozen' }
  const aborted = ({ signal }: RemoteRequest): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  const remote: Remote = async (request): Promise<HttpResponse> => {
    if (state.answers === 'frozen') return aborted(request)
    const { url } = request
    if (!url.includes('watch=true')) return { status: state.answers, headers: {}, body: utf8.encode('{}') }
    const event = `${JSON.stringify({ type: 'ADDED', object: { kind: 'Thing' } })}\n`
    async function* body(): AsyncGenerator<Uint8Array> {
      yield utf8.encode(event)
      await aborted(request)
    }
    return { status: 200, headers: { 'content-type': 'application/json' }, body: body() }
  }
  const server = createFleetServer({
    ...{ world: simulation.process('a'), store: createMemoryStore(new MemoryData()), instance: 'a' },
    apiServices: true,
    aggregation: { remote, resolveService: () => 'https://backend:1' },
  })
  await simulation.settle(server.start(never))
  const send = (method: string, path: string, body?: unknown) =>
    simulation.settle(call(server.handle, method, path, body))
  await send('POST', services, apiService)
  const pass = (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms })
  await pass(5_000)
  const watch = async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const request = { method: 'GET', target: `${things}?watch=true`, headers, signal: never }
    const { status, body } = await simulation.settle(server.handle(request))
    const seen = { status, bytes: 0, cutBecause: undefined as unknown }
    const read = async (): Promise<void> => {
      for await (const chunk of body instanceof Uint8Array ? [body] : body) seen.bytes += chunk.length
    }
    read().catch((error: unknown) => {
      seen.cutBecause = (error as Error).message
    })
    return seen
  }
  return { state, send, pass, watch }
}

test('aggregation: a watch through a frozen backend ends within a minute, and can be resumed after it', async () => {
  const { state, pass, watch } = await startBackend('frozen')
  const first = await watch()
  await pass(120_000)
  assert.ok(first.bytes > 0)
  assert.equal(first.cutBecause, undefined)
  state.answers = 'frozen'
  await pass(60_000)
  assert.equal(first.cutBecause, 'the backend does not answer')
  assert.equal((await watch()).status, 503)
  state.answers = 200
  await pass(45_000)
  const second = await watch()
  await pass(120_000)
  assert.ok(second.bytes > 0)
  assert.equal(second.cutBecause, undefined)
})

test('aggregation: watches go on while a backend answers its checks with errors', async () => {
  const { state, pass, watch } = await startBackend('errors')
  const open = await watch()
  state.answers = 503
  await pass(300_000)
  assert.equal(open.cutBecause, undefined)
})

test('aggregation: a watch ends with its APIService', async () => {
  const { send, pass, watch } = await startBackend('removed')
  const open = await watch()
  await pass(60_000)
  assert.equal(open.cutBecause, undefined)
  await send('DELETE', `${services}/v1.example.dev`)
  await pass(5_000)
  assert.equal(open.cutBecause, 'the APIService has gone')
})
