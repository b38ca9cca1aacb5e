import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFaultyStore, createMemoryStore, MemoryData, noFaults } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'

const never = new AbortController().signal
const maps = '/api/v1/namespaces/default/configmaps'
const objects = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
const gadgets = '/apis/example.org/v1/namespaces/default/gadgets'
const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews'
const hook = 'poststarthook/built-in-resources-storage-version-updater'

const crd = (plural: string, kind: string) => ({
  metadata: { name: `${plural}.example.org` },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})
const apiService = {
  metadata: { name: 'v1.aggregated.example.org' },
  spec: {
    group: 'aggregated.example.org',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: 'default', name: 'missing' },
    insecureSkipTLSVerify: true,
  },
}
const gadget = { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { generateName: 'g-' } }
const storageVersion = { metadata: { generateName: 'test.sv' }, spec: {}, status: {} }
const wait = (resource: string, error = '<nil>'): string =>
  `wait for storage version registration to complete for resource: ${resource}, last seen error: ${error}`

/**
 * A server beside one that runs, which cannot store the entries that `isHeld` names; it may later. Of custom resources
 * it can: they are registered as soon as they are defined.
 */
async function startHeld(seed: string, holds: (record: string) => boolean) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const first = createFleetServer({
    world: simulation.process('a'),
    store: createMemoryStore(data),
    instance: 'a',
  })
  await simulation.settle(first.start(never))
  const made = await simulation.settle(call(first.handle, 'POST', definitions, crd('gadgets', 'Gadget')))
  assert.equal(made.status, 201, JSON.stringify(made.body))

  let isHeld = holds
  let held = Promise.withResolvers<void>()
  const process = simulation.process('b')
  const prefix = '/registry/strata.dev/storageagreements/'
  const store = createFaultyStore(createMemoryStore(data), {
    network: simulation.clock,
    local: process.clock,
    random: simulation.fork('store'),
    faults: noFaults,
    hooks: {
      beforeCommit: async ({ writes }) => {
        const record = writes.find(({ key }) => key.startsWith(prefix))?.key.slice(prefix.length)
        while (record !== undefined && isHeld(record)) await held.promise
      },
    },
  })
  const server = createFleetServer({ world: process, store, instance: 'b' })
  const started = server.start(never)
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  return {
    simulation,
    started,
    server,
    ask: (method: string, target: string, body?: unknown, headers = {}) =>
      simulation.settle(call(server.handle, method, target, body, headers)),
    /** From now on only these are held. */
    hold: async (next: typeof holds) => {
      isHeld = next
      held.resolve()
      held = Promise.withResolvers()
      await simulation.run({ untilMs: simulation.nowMs + 2_000 })
    },
  }
}

const notCustom = (record: string): boolean => record !== 'example.org.gadgets'
const patchTypes = ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml']
const settings = { metadata: { generateName: 'settings-' }, data: {} }

test('B1 to B7, before storage version update: what is registered waits, what is not passes', async (t) => {
  const { ask } = await startHeld('b1-b7', notCustom)
  const refused: ReadonlyArray<[id: string, target: string, body: unknown, resource: string]> = [
    ['B1', maps, settings, 'configmaps'],
    ['B2', definitions, crd('others', 'Other'), 'customresourcedefinitions.apiextensions.k8s.io'],
    ['B3', apiServices, apiService, 'apiservices.apiregistration.k8s.io'],
  ]
  for (const [id, target, body, resource] of refused) {
    await t.test(`${id}: POST ${target} waits`, async () => {
      const answer = await ask('POST', target, body)
      assert.equal(answer.status, 503)
      assert.deepEqual([answer.body.reason, answer.body.message], ['ServiceUnavailable', wait(resource)])
      assert.equal(answer.headers['retry-after'], '1', 'upstream sends none')
    })
  }
  const passed: ReadonlyArray<[id: string, method: string, target: string, body: unknown, status: number]> = [
    ['B4', 'POST', gadgets, gadget, 201],
    ['B5', 'POST', objects, storageVersion, 201],
    ['B6', 'POST', tokenReviews, { spec: { token: 'x' } }, 201],
    ['B7', 'GET', '/api/v1/namespaces', undefined, 200],
  ]
  for (const [id, method, target, body, status] of passed) {
    await t.test(`${id}: ${method} ${target} passes`, async () => {
      const answer = await ask(method, target, body)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
    })
  }
})

test('B1, all verbs: patches, deletions, collections, dry runs and parts of an object wait with their resource', async () => {
  const { ask } = await startHeld('b1-verbs', notCustom)
  const asked: ReadonlyArray<[method: string, target: string, body: unknown, resource: string]> = [
    ['PUT', `${maps}/one`, { metadata: { name: 'one' } }, 'configmaps'],
    ['PATCH', `${maps}/one`, { data: { k: 'v' } }, 'configmaps'],
    ['PATCH', '/api/v1/namespaces/default/resourcequotas/one/status', {}, 'resourcequotas'],
    ['DELETE', `${maps}/one`, undefined, 'configmaps'],
    ['DELETE', maps, undefined, 'configmaps'],
    ['POST', `${maps}?dryRun=All`, settings, 'configmaps'],
    ['POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {}, 'serviceaccounts'],
    ['PUT', '/api/v1/namespaces/default/resourcequotas/one/status', {}, 'resourcequotas'],
    ['POST', '/apis/events.k8s.io/v1/namespaces/default/events', {}, 'events'],
  ]
  for (const [method, target, body, resource] of asked) {
    for (const type of method === 'PATCH' ? patchTypes : ['json']) {
      const answer = await ask(method, target, body, { 'content-type': `application/${type}` })
      assert.deepEqual([answer.status, answer.body.message], [503, wait(resource)], `${method} ${target}`)
    }
  }
})

test('B8 to B13, while one resource is still waited for: what is registered passes', async (t) => {
  const { ask, hold, server } = await startHeld('b8-b13', notCustom)
  await hold((record) => record === 'core.secrets')
  assert.equal(server.ready, false)
  const passed: ReadonlyArray<[id: string, method: string, target: string, body: unknown, status: number]> = [
    ['B8', 'POST', maps, settings, 201],
    ['B9', 'POST', definitions, crd('others', 'Other'), 201],
    ['B10', 'POST', apiServices, apiService, 201],
    ['B11', 'POST', objects, storageVersion, 201],
    ['B12', 'POST', tokenReviews, { spec: { token: 'x' } }, 201],
    ['B13', 'GET', '/api/v1/namespaces', undefined, 200],
  ]
  for (const [id, method, target, body, status] of passed) {
    await t.test(`${id}: ${method} ${target} passes`, async () => {
      const answer = await ask(method, target, body)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
    })
  }
  const secret = await ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'one' } })
  assert.deepEqual([secret.status, secret.body.message], [503, wait('secrets')])
})

test('B14: the checks of health name the hook while it is under way, and are green once it is done', async () => {
  const { ask, hold, started, simulation, server } = await startHeld('b14', notCustom)
  for (const path of ['livez', 'healthz', 'readyz']) {
    const { status, body } = await ask('GET', `/${path}`)
    assert.equal(status, 500, path)
    assert.ok(body.includes(`[-]${hook} failed: reason withheld`), `${path}: ${body}`)
    assert.ok(body.includes(`${path} check failed`), path)
    assert.equal((await ask('GET', `/${path}/${hook}`)).status, 500)
  }
  await hold(() => false)
  await simulation.settle(started)
  for (const path of ['livez', 'healthz', 'readyz']) {
    assert.deepEqual(
      [(await ask('GET', `/${path}`)).status, (await ask('GET', `/${path}/${hook}`)).status],
      [200, 200],
    )
  }
  assert.ok(server.ready)
})

test('P7: one resource that cannot be registered delays no other, and is tried again at once', async () => {
  const { ask, hold, started, simulation } = await startHeld('p7', (record) => record === 'core.secrets')
  assert.equal((await ask('POST', maps, settings)).status, 201)
  // Nor what is defined while it is being tried.
  assert.equal((await ask('POST', definitions, crd('others', 'Other'))).status, 201)
  const definedMs = simulation.nowMs
  const other = { apiVersion: 'example.org/v1', kind: 'Other', metadata: { generateName: 'o-' } }
  assert.equal((await ask('POST', '/apis/example.org/v1/namespaces/default/others', other)).status, 201)
  assert.ok(simulation.nowMs - definedMs < 500, `${simulation.nowMs - definedMs} ms`)
  // Attempts end after ten seconds each; the response contains the last error.
  await simulation.run({ untilMs: simulation.nowMs + 15_000 })
  const waiting = await ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'one' } })
  assert.match(waiting.body.message, /for resource: secrets, last seen error: (?!<nil>).+/)
  const beganMs = simulation.nowMs
  await hold(() => false)
  await simulation.settle(started)
  assert.ok(simulation.nowMs - beganMs < 15_000, 'upstream looks again after ten minutes')
})
