import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, readOne } from '@strata/server/store'
import { readAll } from '@strata/world'
import { beacon, beaconPath } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

const never = new AbortController().signal
const merge = { 'content-type': 'application/merge-patch+json' }
const json = { 'content-type': 'application/json-patch+json' }

interface Managed {
  readonly manager: string
  readonly subresource?: string
  readonly fieldsV1: unknown
}
const managersOf = (object: { metadata: { managedFields?: Managed[] } }): string[] =>
  (object.metadata.managedFields ?? []).map(({ manager }) => manager)

test('writes: fields belong to who wrote them last', async () => {
  const { send } = await startServer('owners')
  const made = await send('POST', `${maps}?fieldManager=maker`, configMap('a', { x: '1', y: '1' }))
  assert.deepEqual(made.body.metadata.managedFields[0].fieldsV1, {
    'f:data': { '.': {}, 'f:x': {}, 'f:y': {} },
  })
  const changed = await send('PATCH', `${maps}/a?fieldManager=changer`, { data: { y: '2' } }, merge)
  assert.deepEqual(managersOf(changed.body).toSorted(), ['changer', 'maker'])
  const fields = Object.fromEntries(
    changed.body.metadata.managedFields.map((each: Managed) => [each.manager, each.fieldsV1]),
  )
  assert.deepEqual(fields['changer'], { 'f:data': { 'f:y': {} } })
  assert.deepEqual(fields['maker'], { 'f:data': { '.': {}, 'f:x': {} } })
})

test('writes: who takes a finalizer off a namespace owns that by the subresource it used', async () => {
  const { send } = await startServer('finalize')
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }
  const { body: made } = await send('POST', '/api/v1/namespaces', namespace)
  const kept = { ...made, spec: { finalizers: ['example.dev/hold'] } }
  const { body } = await send('PUT', '/api/v1/namespaces/n/finalize?fieldManager=cleaner', kept)
  const owner = body.metadata.managedFields.find((each: Managed) => each.manager === 'cleaner')
  assert.equal(owner?.subresource, 'finalize', JSON.stringify(body))
  assert.deepEqual(body.spec.finalizers, ['example.dev/hold'])
})

test('writes: a write that changes nothing moves nothing, for every client', async () => {
  const { send } = await startServer('no-ops')
  const { body: made } = await send('POST', `${maps}?fieldManager=maker`, configMap('a'))
  for (const [method, target, body, headers] of [
    ['PUT', `${maps}/a?fieldManager=other`, made, {}],
    ['PATCH', `${maps}/a?fieldManager=other`, {}, merge],
    ['PATCH', `${maps}/a?fieldManager=other`, [{ op: 'test', path: '/data/k', value: 'v' }], json],
  ] as const) {
    const answer = await send(method, target, body, headers)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body.metadata.resourceVersion, made.metadata.resourceVersion)
    assert.deepEqual(managersOf(answer.body), ['maker'])
  }
})

test('writes: a patch names its resourceVersion or means whatever is there', async () => {
  const { send } = await startServer('patch')
  const { body: made } = await send('POST', maps, configMap('a'))
  assert.equal((await send('PATCH', `${maps}/a`, { data: { k: '2' } }, merge)).status, 200)
  const stale = { metadata: { resourceVersion: made.metadata.resourceVersion }, data: { k: '3' } }
  assert.equal((await send('PATCH', `${maps}/a`, stale, merge)).status, 409)
  const misfit = await send('PATCH', `${maps}/a`, [{ op: 'remove', path: '/data/none' }], json)
  assert.equal(misfit.status, 422)
  assert.equal(misfit.body.message, 'the server rejected our request due to an error in our request')
  const wrong = await send('PATCH', `${maps}/a`, { data: 'x' }, merge)
  assert.match(
    wrong.body.message,
    /^ "" is invalid: patch: Invalid value: .*cannot unmarshal string into Go struct field ConfigMap.data/,
  )
  assert.equal((await send('PATCH', `${maps}/none`, {}, merge)).status, 404)
})

test('writes: unknown and duplicate fields are refused, reported or ignored, as asked', async () => {
  const { send } = await startServer('strict')
  const odd = { ...configMap('a'), bogus: 1 }
  const strict = await send('POST', `${maps}?fieldValidation=Strict`, odd)
  assert.equal(strict.status, 400)
  assert.match(strict.body.message, /strict decoding error: unknown field "bogus"$/)
  assert.equal((await send('POST', `${maps}?fieldValidation=Maybe`, odd)).status, 422)
  assert.equal((await send('POST', maps, odd)).status, 201)
  const patched = await send('PATCH', `${maps}/a?fieldValidation=Strict`, { bogus: 1 }, merge)
  assert.equal(patched.status, 422)
  assert.match(patched.body.message, /strict decoding error: unknown field "bogus"$/)
})

test('writes: numbers come back, and are stored, as they were sent', async () => {
  const { server, simulation, data } = await startServer('numbers')
  const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"g","generation":9007199254740993}}'
  const headers = { authorization: 'Bearer admin-token' }
  const ask = async (method: string, target: string, body?: string): Promise<string> => {
    const request = { method, target, headers, signal: never, ...(body ? { body: Buffer.from(body) } : {}) }
    const response = await simulation.settle(server.handle(request))
    return Buffer.from(await readAll(response.body)).toString()
  }
  assert.match(await ask('POST', maps, text), /"generation":9007199254740993[,}]/)
  assert.match(await ask('GET', `${maps}/g`), /"generation":9007199254740993[,}]/)
  const entry = await readOne(createMemoryStore(data), '/registry/configmaps/default/g', never)
  assert.match(Buffer.from(entry?.value ?? []).toString(), /"generation":9007199254740993[,}]/)
})

test('writes: a generated name that is taken is drawn again', async () => {
  const { send } = await startServer('generate')
  const names = new Set<string>()
  for (let round = 0; round < 50; round++) {
    const answer = await send('POST', maps, { ...configMap(''), metadata: { generateName: 'gen-' } })
    assert.equal(answer.status, 201)
    names.add(answer.body.metadata.name)
  }
  assert.equal(names.size, 50)
})

test('writes: YAML is as good as JSON', async () => {
  const { server, simulation } = await startServer('yaml')
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: z\ndata:\n  k: |\n    line1\n    line2\n'
  const response = await simulation.settle(
    server.handle({
      method: 'POST',
      target: maps,
      headers: { authorization: 'Bearer admin-token', 'content-type': 'application/yaml' },
      body: Buffer.from(text),
      signal: never,
    }),
  )
  assert.equal(response.status, 201)
})

test('writes: the status of a namespace is changed by its own path only', async () => {
  const { send } = await startServer('status')
  const namespace = '/api/v1/namespaces/default'
  const { body } = await send('GET', namespace)
  const asked = {
    ...body,
    metadata: { ...body.metadata, labels: { x: 'y' } },
    status: { phase: 'Active', conditions: [{ type: 'Main', status: 'True' }] },
  }
  const main = await send('PUT', namespace, asked)
  assert.deepEqual(main.body.status, { phase: 'Active' })
  assert.equal(main.body.metadata.labels.x, 'y')
  const status = await send(
    'PATCH',
    `${namespace}/status`,
    { metadata: { labels: { x: 'z' } }, status: { conditions: [{ type: 'Own', status: 'True' }] } },
    merge,
  )
  assert.equal(status.status, 200, JSON.stringify(status.body))
  assert.equal(status.body.status.conditions[0].type, 'Own')
  const untrue = await send('PATCH', `${namespace}/status`, { status: { phase: 'Terminating' } }, merge)
  assert.equal(untrue.status, 422, 'it is not being deleted')
  assert.equal(status.body.metadata.labels.x, 'y')
})

test('writes: a kind of one\u2019s own keeps what it was sent, in every version', async () => {
  const { send } = await startServer('own kind')
  const made = await send('POST', `${beaconPath('v1')}?fieldManager=old`, beacon('v1', 'b', 5))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const patched = await send(
    'PATCH',
    `${beaconPath('v2', 'b')}?fieldManager=new`,
    { spec: { silent: true } },
    merge,
  )
  assert.equal(patched.status, 200, JSON.stringify(patched.body))
  assert.deepEqual(managersOf(patched.body).toSorted(), ['new', 'old'])
  assert.equal(patched.body.metadata.generation, 2)
})

test('writes: what hooks put back was not written, not even the time', async () => {
  const { send, simulation } = await startServer('undone')
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels: { l: '1' } } }
  const { body: made } = await send('POST', '/api/v1/namespaces?fieldManager=m', namespace)
  await simulation.run({ untilMs: simulation.nowMs + 5_000 })
  const asked = { ...namespace, spec: { finalizers: ['kubernetes', 'example.dev/other'] } }
  const { body } = await send('PUT', '/api/v1/namespaces/n?fieldManager=m', asked)
  assert.deepEqual(body.spec, made.spec)
  const { resourceVersion } = body.metadata
  await simulation.run({ untilMs: simulation.nowMs + 5_000 })
  const again = await send('PUT', '/api/v1/namespaces/n?fieldManager=m', asked)
  assert.equal(again.body.metadata.resourceVersion, resourceVersion)
})
