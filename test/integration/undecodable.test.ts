import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const crdName = 'lamps.light.example.dev'
const lamps = (versionName = 'v1'): string =>
  `/apis/light.example.dev/${versionName}/namespaces/default/lamps`
const mergePatch = { 'content-type': 'application/merge-patch+json' }
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { watts: { type: 'integer' } } } },
  },
}
const repair = `nothing is lost: add v1alpha1 to spec.versions of CustomResourceDefinition ${crdName} again (served: false is enough), then it can be read and migrated`

type Started = Awaited<ReturnType<typeof startServer>>

/** Versions by name; the one with a star is stored, those in brackets are not served. */
function versions(...names: readonly string[]) {
  return names.map((each) => ({
    name: each.replace(/\W/g, ''),
    served: !each.startsWith('('),
    storage: each.endsWith('*'),
    schema,
  }))
}

async function define({ simulation, send }: Started, ...names: readonly string[]): Promise<void> {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName },
    spec: {
      group: 'light.example.dev',
      names: { plural: 'lamps', kind: 'Lamp' },
      scope: 'Namespaced',
      versions: versions(...names),
    },
  }
  assert.equal((await send('POST', crds, crd)).status, 201)
  for (let second = 0; second < 10; second++) {
    const { body } = await send('GET', `${crds}/${crdName}`)
    const isEstablished = (body.status.conditions ?? []).some(
      (each: { type: string; status: string }) => each.type === 'Established' && each.status === 'True',
    )
    if (isEstablished) return
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  }
  assert.fail('it was not established')
}

async function setVersions({ send }: Started, ...names: readonly string[]): Promise<void> {
  const patch = { spec: { versions: versions(...names) } }
  const { status, body } = await send('PATCH', `${crds}/${crdName}`, patch, mergePatch)
  assert.equal(status, 200, body.message)
}

async function createLamp({ send }: Started, name: string, more: object = {}, versionName = 'v1') {
  const lamp = {
    apiVersion: `light.example.dev/${versionName}`,
    kind: 'Lamp',
    metadata: { name, ...more },
    spec: { watts: 40 },
  }
  const { status, body } = await send('POST', lamps(versionName), lamp)
  assert.equal(status, 201, body.message)
  return body
}

/** Some lamps stored in a version that the definition has no more, and one that everyone can read. */
async function startBroken(name: string, old: readonly string[], more: object = {}): Promise<Started> {
  const started = await startServer(`undecodable ${name}`)
  await define(started, 'v1alpha1*', 'v1')
  for (const each of old) await createLamp(started, each, more, 'v1alpha1')
  await setVersions(started, 'v1alpha1', 'v1*')
  await createLamp(started, 'good')
  // The mistake: the CRD says that nothing is stored in the old version, though nothing was rewritten.
  const said = { status: { storedVersions: ['v1'] } }
  assert.equal((await started.send('PATCH', `${crds}/${crdName}/status`, said, mergePatch)).status, 200)
  await setVersions(started, 'v1*')
  return started
}

async function goneWithin({ simulation, send }: Started, seconds: number): Promise<boolean> {
  for (let second = 0; second < seconds; second++) {
    if ((await send('GET', `${crds}/${crdName}`)).status === 404) return true
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  }
  return false
}

function keysIn(data: Started['data']): string[] {
  const { entries } = data.list({ prefix: '/registry/light.example.dev/' })
  return entries.map(({ key }) => key)
}

test('an object whose stored version is gone is named, with its version and what repairs it; the others are reachable', async () => {
  const { send } = await startBroken('one', ['bad'])
  const message = `stored as light.example.dev/v1alpha1, which this release cannot decode (lamps.light.example.dev "default/bad": it decodes light.example.dev/v1); ${repair}`
  const read = await send('GET', `${lamps()}/bad`)
  assert.deepEqual([read.status, read.body.reason, read.body.message], [500, 'StorageReadError', message])
  for (const [method, body] of [
    ['PATCH', { metadata: { labels: { a: 'b' } } }],
    ['DELETE', undefined],
  ] as const) {
    const refused = await send(method, `${lamps()}/bad`, body, method === 'PATCH' ? mergePatch : {})
    assert.equal(refused.status, 500, method)
    assert.ok(refused.body.message.endsWith(message), refused.body.message)
  }
  assert.equal((await send('GET', `${lamps()}/good`)).status, 200)
  const patched = await send('PATCH', `${lamps()}/good`, { spec: { watts: 60 } }, mergePatch)
  assert.deepEqual([patched.status, patched.body.spec], [200, { watts: 60 }])
  assert.equal((await send('DELETE', `${lamps()}/good`)).status, 200)
  assert.equal((await send('GET', `${lamps()}/bad`)).body.message, message)
})

test('a list names those that cannot be decoded, up to a number, whatever it is asked for', async () => {
  const names = ['bad-0', 'bad-1', 'bad-2', 'bad-3', 'bad-4', 'bad-5', 'bad-6']
  const { send } = await startBroken('list', names)
  const named = names.slice(0, 5).map((name) => `"default/${name}" (stored as light.example.dev/v1alpha1)`)
  const message = `7 of 8 objects of lamps.light.example.dev cannot be decoded: ${named.join(', ')}, and 2 more; ${repair}; until then the others can be read by their names`
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  for (const [query, headers] of [
    ['', {}],
    ['?limit=3', {}],
    ['?labelSelector=a%3Db', {}],
    ['', table],
  ] as const) {
    const { status, body } = await send('GET', `${lamps()}${query}`, undefined, headers)
    assert.deepEqual([status, body.reason, body.message], [500, 'StorageReadError', message], query)
  }
  // A list of only decodable objects succeeds.
  const single = await send('GET', `${lamps()}?fieldSelector=metadata.name%3Dgood`)
  assert.deepEqual([single.status, single.body.items.length], [200, 1])
  const elsewhere = await send('GET', '/apis/light.example.dev/v1/namespaces/other/lamps')
  assert.deepEqual([elsewhere.status, elsewhere.body.items.length], [200, 0])
  // Without undecodable objects, there is no message about them.
  assert.equal((await send('DELETE', `${lamps()}/good`)).status, 200)
  const all = await send('GET', lamps())
  assert.equal(all.body.message, message.replace('7 of 8', '7 of 7').replace(/; until then the others.*/, ''))
})

test('a watch that begins with one says so, and one that does not goes on', async () => {
  const started = await startBroken('watch', ['bad'])
  const { simulation, server, send } = started
  const initial = await simulation.settle(openWatch(server, `${lamps()}?watch=true`))
  await simulation.run({ untilMs: simulation.nowMs + 100 })
  assert.equal(initial.status, 200)
  assert.deepEqual(
    initial.events.map(({ type, object }) => [type, object.reason ?? object.metadata.name]),
    [['ERROR', 'StorageReadError']],
  )
  assert.match(initial.events[0]?.object.message, /"default\/bad": .* add v1alpha1 to spec\.versions/)
  const { body } = await send('GET', `${lamps()}/good`)
  const since = `${lamps()}?watch=true&resourceVersion=${body.metadata.resourceVersion}`
  const later = await simulation.settle(openWatch(server, since))
  await send('PATCH', `${lamps()}/good`, { spec: { watts: 60 } }, mergePatch)
  await simulation.run({ untilMs: simulation.nowMs + 100 })
  assert.deepEqual(
    later.events.map(({ type, object }) => [type, object.spec]),
    [['MODIFIED', { watts: 60 }]],
  )
})

test('adding the version back repairs everything, and nothing is lost', async () => {
  const started = await startBroken('repair', ['bad'])
  const { send } = started
  await setVersions(started, '(v1alpha1)', 'v1*')
  const { status, body } = await send('GET', lamps())
  assert.equal(status, 200, body.message)
  const seen = body.items.map((each: { metadata: { name: string }; spec: object }) => [
    each.metadata.name,
    each.spec,
  ])
  assert.deepEqual(seen, [
    ['bad', { watts: 40 }],
    ['good', { watts: 40 }],
  ])
  // Rewritten, it is readable without the old version.
  assert.equal((await send('PUT', `${lamps()}/bad`, body.items[0])).status, 200)
  await setVersions(started, 'v1*')
  assert.equal((await send('GET', `${lamps()}/bad`)).body.metadata.uid, body.items[0].metadata.uid)
})

test('a definition is not kept by instances that cannot be decoded', async () => {
  const started = await startBroken('deletion', ['bad', 'worse'])
  const { send, data } = started
  assert.equal((await send('DELETE', `${crds}/${crdName}`)).status, 200)
  assert.ok(await goneWithin(started, 10))
  assert.deepEqual(keysIn(data), [])
})

test('nor by instances of which no version is served', async () => {
  const started = await startServer('undecodable unserved')
  await define(started, 'v1*')
  await createLamp(started, 'dark')
  await setVersions(started, '(v1*')
  assert.equal((await started.send('DELETE', `${crds}/${crdName}`)).status, 200)
  assert.ok(await goneWithin(started, 10))
  assert.deepEqual(keysIn(started.data), [])
})

test('one with a finalizer keeps it, until the version is added back', async () => {
  const started = await startBroken('finalizer', ['bad'], { finalizers: ['light.example.dev/switch-off'] })
  const { simulation, send } = started
  assert.equal((await send('DELETE', `${crds}/${crdName}`)).status, 200)
  assert.equal(await goneWithin(started, 5), false)
  const { body } = await send('GET', `${crds}/${crdName}`)
  const { reason, message } = body.status.conditions.find(
    ({ type }: { type: string }) => type === 'Terminating',
  )
  assert.equal(reason, 'InstanceDeletionFailed')
  assert.match(
    message,
    /lamps\/default\/bad .* is kept by its finalizers light\.example\.dev\/switch-off; add the version/,
  )
  assert.equal((await send('GET', `${lamps()}/good`)).status, 404)
  await setVersions(started, '(v1alpha1)', 'v1*')
  await simulation.run({ untilMs: simulation.nowMs + 5_000 })
  const bad = await send('GET', `${lamps()}/bad`)
  assert.ok(bad.body.metadata.deletionTimestamp)
  assert.equal(
    (await send('PATCH', `${lamps()}/bad`, { metadata: { finalizers: null } }, mergePatch)).status,
    200,
  )
  assert.ok(await goneWithin(started, 10))
})
