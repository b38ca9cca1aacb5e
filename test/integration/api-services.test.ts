import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { sleep } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'

const services = '/apis/apiregistration.k8s.io/v1/apiservices'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const merge = { 'content-type': 'application/merge-patch+json' }
const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }
const automanaged = 'kube-aggregator.kubernetes.io/automanaged'
const never = new AbortController().signal

const apiService = (versionName: string, more: object = {}) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${versionName}.example.dev` },
  spec: {
    group: 'example.dev',
    version: versionName,
    groupPriorityMinimum: 100,
    versionPriority: 10,
    ...more,
  },
})
const elsewhere = { service: { namespace: 'a', name: 'b' }, insecureSkipTLSVerify: true }

const definition = (plural: string, versionNames: readonly string[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.dev` },
  spec: {
    group: 'example.dev',
    scope: 'Cluster',
    names: { plural, kind: plural.replace(/^./, (first) => first.toUpperCase()) },
    versions: versionNames.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })),
  },
})

type Running = Awaited<ReturnType<typeof startServer>>
const pass = ({ simulation }: Running, ms: number): Promise<void> =>
  simulation.settle(sleep(simulation.process('time').clock, ms, never))

// biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
const labelOf = (service: any): string => service.metadata.labels?.[automanaged] ?? ''

test('APIServices: every version that is served has one, and a server that starts mends them', async () => {
  const first = await startServer('registration', { apiServices: true })
  const { items } = (await first.send('GET', services)).body
  const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
  for (const name of ['v1.', 'v1.apiextensions.k8s.io', 'v1alpha1.strata.dev', 'v1.lighthouse.example.dev']) {
    assert.ok(names.includes(name), name)
  }
  assert.ok(!names.includes('v1.apiregistration.k8s.io'), 'registration itself is not registered')
  assert.ok(items.every((each: unknown) => labelOf(each) === 'onstart'))
  const wrong = { spec: { versionPriority: 999 } }
  await first.send('PATCH', `${services}/v1.lighthouse.example.dev`, wrong, merge)
  await first.send('DELETE', `${services}/v1.`)
  await pass(first, 5_000)
  assert.equal((await first.send('GET', `${services}/v1.`)).status, 404, 'it is seen to when a server starts')
  const second = await startServer('registration again', { apiServices: true, data: first.data })
  const mended = (await second.send('GET', `${services}/v1.lighthouse.example.dev`)).body
  assert.equal(mended.spec.versionPriority, 100)
  const core = (await second.send('GET', `${services}/v1.`)).body
  assert.deepEqual(
    [core.spec, core.status.conditions[0].reason],
    [{ version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 }, 'Local'],
  )
})

test('APIServices: those of custom resources come and go with their definitions', async () => {
  const running = await startServer('custom versions', { apiServices: true })
  const { send } = running
  await send('POST', definitions, definition('things', ['v1', 'v2']))
  await send('POST', definitions, definition('others', ['v1']))
  await pass(running, 5_000)
  const made = (await send('GET', `${services}/v1.example.dev`)).body
  assert.deepEqual(
    [
      labelOf(made),
      made.spec.groupPriorityMinimum,
      made.spec.versionPriority,
      made.metadata.managedFields.length,
    ],
    ['true', 1_000, 100, 1],
  )
  await send('DELETE', `${services}/v2.example.dev`)
  await pass(running, 5_000)
  assert.equal((await send('GET', `${services}/v2.example.dev`)).status, 200, 'it is made again')
  await send('DELETE', `${definitions}/things.example.dev`)
  await pass(running, 5_000)
  assert.equal((await send('GET', `${services}/v2.example.dev`)).status, 404)
  assert.equal((await send('GET', `${services}/v1.example.dev`)).status, 200, 'others are still there')
  await send('DELETE', `${definitions}/others.example.dev`)
  await pass(running, 5_000)
  assert.equal((await send('GET', `${services}/v1.example.dev`)).status, 404)
})

test('APIServices: what another server is said to have answers 503, and discovery knows that it is stale', async () => {
  const running = await startServer('elsewhere', { apiServices: true })
  const { send } = running
  await send('POST', definitions, definition('things', ['v1']))
  await send('POST', services, apiService('v2', { ...elsewhere, versionPriority: 20 }))
  await send('POST', services, apiService('v3'))
  await pass(running, 5_000)
  const condition = (await send('GET', `${services}/v2.example.dev`)).body.status.conditions[0]
  assert.deepEqual([condition.status, condition.reason], ['False', 'ServiceNotFound'])
  const refused = await send('GET', '/apis/example.dev/v2/things')
  assert.deepEqual([refused.status, refused.body], [503, 'service unavailable\n'])
  assert.equal((await send('POST', '/apis/example.dev/v2/things', {})).status, 503)
  assert.equal((await send('GET', '/apis/example.dev/v1/things')).status, 200)
  const group = (await send('GET', '/apis/example.dev')).body
  assert.deepEqual(
    group.versions.map(({ version }: { version: string }) => version),
    ['v1', 'v2', 'v3'],
  )
  const { items } = (await send('GET', '/apis', undefined, aggregated)).body
  // biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
  const item = items.find(({ metadata }: any) => metadata.name === 'example.dev')
  assert.deepEqual(
    item.versions.map(({ version, freshness }: Record<string, string>) => `${version} ${freshness}`),
    ['v1 Current', 'v2 Stale'],
  )
  await send('DELETE', `${services}/v2.example.dev`)
  assert.equal((await send('GET', '/apis/example.dev/v2/things')).status, 404)
})

test('APIServices: who registers a service for a version that definitions make has it asked there', async () => {
  const running = await startServer('instead of a definition', { apiServices: true })
  const { send } = running
  await send('POST', services, apiService('v1', elsewhere))
  await send('POST', definitions, definition('things', ['v1']))
  await pass(running, 5_000)
  const kept = (await send('GET', `${services}/v1.example.dev`)).body
  assert.deepEqual([labelOf(kept), kept.spec.service.port], ['', 443], 'what people have made stays')
  assert.equal((await send('GET', '/apis/example.dev/v1/things')).status, 503)
  const local = { spec: { service: null, insecureSkipTLSVerify: false } }
  await send('PATCH', `${services}/v1.example.dev`, local, merge)
  await pass(running, 5_000)
  assert.equal((await send('GET', '/apis/example.dev/v1/things')).status, 200)
  const { status } = (await send('GET', `${services}/v1.example.dev`)).body
  assert.deepEqual([status.conditions[0].status, status.conditions[0].reason], ['True', 'Local'])
  const builtIn = await send('PATCH', `${services}/v1.apiextensions.k8s.io`, { spec: elsewhere }, merge)
  assert.equal(builtIn.status, 200)
  assert.equal((await send('GET', definitions)).status, 200, 'what is built in is served here')
})

test('APIServices: three servers write each of them once, and hundreds of definitions cost one write a version', async () => {
  const simulation = new Simulation('three that register')
  const data = new MemoryData()
  const fleet = ['a', 'b', 'c'].map((instance) =>
    createFleetServer({
      world: simulation.process(instance),
      store: createMemoryStore(data),
      instance,
      apiServices: true,
    }),
  )
  await simulation.settle(Promise.all(fleet.map((each) => each.start(never))))
  assert.ok(fleet.every(({ ready }) => ready))
  const [first] = fleet
  assert.ok(first)
  const send = (method: string, path: string, body?: unknown) =>
    simulation.settle(call(first.handle, method, path, body))
  const before = (await send('GET', services)).body.items.length
  for (let index = 0; index < 60; index++) {
    await send('POST', definitions, definition(`things${'abcdefghij'[index % 10]}${index}`, ['v1', 'v2']))
  }
  await simulation.settle(sleep(simulation.process('time').clock, 10_000, never))
  const { items } = (await send('GET', services)).body
  assert.equal(items.length, before + 2)
  for (const { metadata } of items) assert.equal(metadata.managedFields.length, 1, metadata.name)
})
