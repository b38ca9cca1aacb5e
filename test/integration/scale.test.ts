import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiObject,
  defineResource,
  identityVersion,
  integer,
  objectSchema,
  type ResourceDefinition,
  text,
} from '@strata/api'
import { startServer } from '../support/one-server.ts'

/** As the kind that upstream was recorded with. */
const scalers = defineResource<ApiObject>({
  group: 'scale.example.dev',
  kind: 'Scaler',
  plural: 'scalers',
  scope: 'Namespaced',
  versions: {
    v1: identityVersion(
      objectSchema({
        spec: { type: 'object', properties: { replicas: integer, x: text } },
        status: { type: 'object', properties: { replicas: integer, selector: text } },
      }),
    ),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'scale.example.dev/scalers',
  subresources: {
    scale: {
      v1: {
        specReplicas: '.spec.replicas',
        statusReplicas: '.status.replicas',
        labelSelector: '.status.selector',
      },
    },
  },
  strategy: { tracksGeneration: true },
}) as unknown as ResourceDefinition

const path = '/apis/scale.example.dev/v1/namespaces/default/scalers'
const scalePath = `${path}/s/scale?fieldManager=golden`
const merge = { 'content-type': 'application/merge-patch+json' }
const yaml = { 'content-type': 'application/apply-patch+yaml' }

const scale = (replicas: number) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 's' },
  spec: { replicas },
})
const object = (spec: object = { replicas: 1, x: 'a' }) => ({
  apiVersion: 'scale.example.dev/v1',
  kind: 'Scaler',
  metadata: { name: 's' },
  spec,
  status: { replicas: 1, selector: 'a=b' },
})

async function startScaler(seed: string, spec?: object) {
  const server = await startServer(seed, { resources: [scalers] })
  const { status, body } = await server.send('POST', `${path}?fieldManager=golden`, object(spec))
  assert.equal(status, 201, JSON.stringify(body))
  return { ...server, made: body }
}

interface Managed {
  readonly manager: string
  readonly time?: string
  readonly subresource?: string
  readonly fieldsV1: { 'f:spec'?: object }
}
const replicaOwners = (body: { metadata: { managedFields: Managed[] } }) =>
  body.metadata.managedFields
    .filter(({ fieldsV1 }) => 'f:replicas' in (fieldsV1['f:spec'] ?? {}))
    .map(({ manager, subresource, time }) => ({ manager, subresource, hasTime: time !== undefined }))

test('scale: shows the replicas of an object, and changes them', async () => {
  const { send, made } = await startScaler('scale')
  const { metadata } = made
  const got = await send('GET', `${path}/s/scale`)
  assert.deepEqual(got.body, {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name: 's',
      namespace: 'default',
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      creationTimestamp: metadata.creationTimestamp,
    },
    spec: { replicas: 1 },
    status: { replicas: 1, selector: 'a=b' },
  })
  const put = await send('PUT', scalePath, scale(3))
  assert.deepEqual([put.status, put.body.kind, put.body.spec], [200, 'Scale', { replicas: 3 }])
  const patched = await send('PATCH', scalePath, { spec: { replicas: 4 } }, merge)
  assert.deepEqual([patched.status, patched.body.spec], [200, { replicas: 4 }])
  const { body } = await send('GET', `${path}/s`)
  assert.deepEqual([body.spec, body.metadata.generation], [{ replicas: 4, x: 'a' }, 3])
  // Upstream gives owners by way of the scale no time.
  assert.deepEqual(replicaOwners(body), [{ manager: 'golden', subresource: 'scale', hasTime: false }])
  const owned = body.metadata.managedFields.find((each: Managed) => each.subresource === undefined)
  assert.deepEqual(owned.fieldsV1['f:spec'], { '.': {}, 'f:x': {} })
})

test('scale: a write that changes nothing moves nothing', async () => {
  const { send, made } = await startScaler('idle')
  const same = await send('PUT', `${path}/s/scale?fieldManager=other`, scale(1))
  assert.equal(same.body.metadata.resourceVersion, made.metadata.resourceVersion)
  const { body } = await send('GET', `${path}/s`)
  assert.deepEqual(body, made)
})

test('scale: what is applied is shared or conflicts, as everywhere', async () => {
  const { send } = await startScaler('applied')
  const conflict = await send('PATCH', `${path}/s/scale?fieldManager=one`, scale(2), yaml)
  assert.equal(
    conflict.body.message,
    'Apply failed with 1 conflict: conflict with "golden" using autoscaling/v1: .spec.replicas',
  )
  const shared = await send('PATCH', `${path}/s/scale?fieldManager=one`, scale(1), yaml)
  assert.equal(shared.status, 200, JSON.stringify(shared.body))
  const { body: both } = await send('GET', `${path}/s`)
  assert.deepEqual(
    replicaOwners(both).map(({ manager }) => manager),
    ['one', 'golden'],
  )
  await send('PATCH', `${path}/s/scale?fieldManager=one&force=true`, scale(2), yaml)
  const { body } = await send('GET', `${path}/s`)
  assert.deepEqual(
    replicaOwners(body).map(({ manager, subresource }) => [manager, subresource]),
    [['one', 'scale']],
  )
})

const refused: ReadonlyArray<[name: string, body: object, code: number, message: RegExp]> = [
  [
    'less than none',
    scale(-1),
    422,
    /^Scaler\.scale\.example\.dev "s" is invalid: \.spec\.replicas: Invalid value: -1: should be a non-negative integer$/,
  ],
  ['another name', { ...scale(1), metadata: { name: 't' } }, 400, /does not match the name on the URL/],
  [
    'a state that is past',
    { ...scale(2), metadata: { name: 's', resourceVersion: '1' } },
    409,
    /has been modified/,
  ],
  ['another kind', object(), 400, /cannot be handled as a Scale/],
]
test('scale: what it refuses', async (t) => {
  const { send } = await startScaler('refused')
  for (const [name, body, code, message] of refused) {
    await t.test(name, async () => {
      const answer = await send('PUT', scalePath, body)
      assert.equal(answer.status, code, JSON.stringify(answer.body))
      assert.match(answer.body.message, message)
    })
  }
})

test('scale: an object without replicas has none to show, but gets some', async () => {
  const { send } = await startScaler('without', { x: 'a' })
  const none = await send('GET', `${path}/s/scale`)
  assert.equal(none.status, 500)
  assert.match(none.body.message, /the spec replicas field "\.spec\.replicas" does not exist/)
  const empty = await send('PATCH', scalePath, {}, merge)
  assert.deepEqual(
    [empty.status, empty.body.message],
    [400, 'the spec replicas field ".spec.replicas" cannot be empty'],
  )
  assert.equal((await send('PUT', scalePath, scale(2))).status, 200)
})

test('scale: is in discovery, and missing for kinds that cannot be scaled', async () => {
  const { send } = await startScaler('discovery')
  const { body } = await send('GET', '/apis/scale.example.dev/v1')
  assert.deepEqual(
    body.resources.find(({ name }: { name: string }) => name === 'scalers/scale'),
    {
      name: 'scalers/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    },
  )
  assert.equal((await send('GET', '/api/v1/namespaces/default/configmaps/a/scale')).status, 404)
})
