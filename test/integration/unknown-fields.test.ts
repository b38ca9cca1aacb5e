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
import { MemoryData } from '@strata/server/store'
import { startServer } from '../support/one-server.ts'

/** Has a status and a scale, and a list without keys. */
const scalers = defineResource<ApiObject>({
  group: 'scale.example.dev',
  kind: 'Scaler',
  plural: 'scalers',
  scope: 'Namespaced',
  versions: {
    v1: identityVersion(
      objectSchema({
        spec: {
          type: 'object',
          properties: {
            replicas: integer,
            ports: { type: 'array', items: { type: 'object', properties: { port: integer } } },
          },
        },
        status: { type: 'object', properties: { replicas: integer, phase: text } },
      }),
    ),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'scale.example.dev/scalers',
  subresources: {
    status: true,
    scale: { v1: { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas' } },
  },
  strategy: { tracksGeneration: true, allowUnconditionalUpdate: true },
}) as unknown as ResourceDefinition

/** As a newer release wrote it, which knows more fields and has recorded who set them. */
const newer = (kind: string, apiVersion: string, namespace: string | undefined, content: object) => ({
  kind,
  apiVersion,
  metadata: {
    name: 'n',
    ...(namespace ? { namespace } : {}),
    uid: '00000000-0000-4000-8000-000000000001',
    generation: 1,
    creationTimestamp: '2024-01-01T00:00:00Z',
    novel: { a: 1 },
    managedFields: [
      {
        manager: 'newer',
        operation: 'Update',
        apiVersion,
        time: '2024-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:future': {}, 'f:spec': { 'f:fromTheFuture': {} } },
      },
    ],
  },
  ...content,
  future: ['x', { y: null }],
})

const beacon = newer('Beacon', 'lighthouse.example.dev/v1', 'default', {
  spec: { everySeconds: 5, colour: 'red', fromTheFuture: 'long' },
})
const kinds = {
  configMap: {
    key: '/registry/configmaps/default/n',
    path: '/api/v1/namespaces/default/configmaps/n',
    object: newer('ConfigMap', 'v1', 'default', { data: { k: 'v' } }),
  },
  beacon: {
    key: '/registry/lighthouse.example.dev/beacons/default/n',
    path: '/apis/lighthouse.example.dev/v1/namespaces/default/beacons/n',
    object: beacon,
  },
  beaconInOtherVersion: {
    key: '/registry/lighthouse.example.dev/beacons/default/n',
    path: '/apis/lighthouse.example.dev/v2/namespaces/default/beacons/n',
    object: beacon,
  },
  scaler: {
    key: '/registry/scale.example.dev/scalers/default/n',
    path: '/apis/scale.example.dev/v1/namespaces/default/scalers/n',
    object: newer('Scaler', 'scale.example.dev/v1', 'default', {
      spec: { replicas: 1, ports: [{ port: 1, inTheFuture: 1 }, { port: 2 }], fromTheFuture: 1 },
      status: { replicas: 1, phase: 'Old', fromTheFuture: 1 },
    }),
  },
  namespace: {
    key: '/registry/namespaces/n',
    path: '/api/v1/namespaces/n',
    object: newer('Namespace', 'v1', undefined, {
      spec: { finalizers: ['kubernetes'], fromTheFuture: 1 },
      status: {
        phase: 'Active',
        fromTheFuture: 1,
        conditions: [{ type: 'A', status: 'True', lastTransitionTime: null, sinceTheFuture: 1 }],
      },
    }),
  },
}
type Kind = keyof typeof kinds

/** A number that no number of JavaScript's is equal to must stay what it is. */
const textOf = (object: object): string => JSON.stringify(object).replace('"long"', '12345678901234567890')

const storedText = (data: MemoryData, key: string): string =>
  Buffer.from(data.read([key]).entries[0]?.value ?? []).toString()

/** The stored bytes are older than the server's first entry in the record: their writer is unknown. */
async function start(kind: Kind, seed: string, object: object = kinds[kind].object) {
  const { key, path } = kinds[kind]
  const data = new MemoryData()
  data.commit({ writes: [{ kind: 'put', key, value: Buffer.from(textOf(object)) }], guards: [] })
  const { send, server } = await startServer(seed, { resources: [scalers], data })
  return { data, key, path, send, server, stored: () => storedText(data, key) }
}

const asMerge = { 'content-type': 'application/merge-patch+json' }
const asJson = { 'content-type': 'application/json-patch+json' }
const asStrategic = { 'content-type': 'application/strategic-merge-patch+json' }
const asApply = { 'content-type': 'application/apply-patch+yaml' }
const label = { metadata: { labels: { a: 'b' } } }
const addLabels = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]
const typeOf = (kind: Kind): object => {
  const { apiVersion, kind: name } = kinds[kind].object
  return {
    apiVersion: kind === 'beaconInOtherVersion' ? 'lighthouse.example.dev/v2' : apiVersion,
    kind: name,
  }
}

type Write = [
  name: string,
  kinds: readonly Kind[],
  method: string,
  target: string,
  body: (kind: Kind) => unknown,
  headers: object,
  /** The stored text afterwards. */
  now: string,
]
const every: readonly Kind[] = ['configMap', 'beacon', 'beaconInOtherVersion', 'scaler', 'namespace']
const labelled = '"a":"b"'
const writes: readonly Write[] = [
  ['an empty merge patch', every, 'PATCH', '', () => ({}), asMerge, ''],
  ['a merge patch', every, 'PATCH', '', () => label, asMerge, labelled],
  ['a JSON patch', every, 'PATCH', '', () => addLabels, asJson, labelled],
  ['a strategic patch', ['configMap', 'namespace'], 'PATCH', '', () => label, asStrategic, labelled],
  [
    'an apply',
    every,
    'PATCH',
    '?fieldManager=m',
    (kind) => ({ ...typeOf(kind), ...label }),
    asApply,
    labelled,
  ],
  [
    'an element that a JSON patch changes',
    ['scaler'],
    'PATCH',
    '',
    () => [{ op: 'replace', path: '/spec/ports/0/port', value: 7 }],
    asJson,
    '"port":7',
  ],
  [
    'a spec that a JSON patch replaces',
    ['scaler'],
    'PATCH',
    '',
    () => [{ op: 'replace', path: '/spec', value: { replicas: 3, ports: [{ port: 1 }] } }],
    asJson,
    '"replicas":3',
  ],
  ['a scale', ['scaler'], 'PATCH', '/scale', () => ({ spec: { replicas: 4 } }), asMerge, '"replicas":4'],
  [
    'an applied scale',
    ['scaler'],
    'PATCH',
    '/scale?fieldManager=m&force=true',
    () => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'n' }, spec: { replicas: 4 } }),
    asApply,
    '"replicas":4',
  ],
  [
    'a scale that is put',
    ['scaler'],
    'PUT',
    '/scale',
    () => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'n' }, spec: { replicas: 4 } }),
    {},
    '"replicas":4',
  ],
  ['an empty status patch', ['scaler', 'namespace'], 'PATCH', '/status', () => ({}), asMerge, ''],
  ['a status patch', ['scaler'], 'PATCH', '/status', () => ({ status: { phase: 'New' } }), asMerge, 'New'],
  [
    'an applied status',
    ['scaler'],
    'PATCH',
    '/status?fieldManager=m',
    (kind) => ({ ...typeOf(kind), metadata: { name: 'n' }, status: { phase: 'New' } }),
    asApply,
    'New',
  ],
  [
    'a status that is put',
    ['scaler'],
    'PUT',
    '/status',
    (kind) => ({ ...typeOf(kind), metadata: { name: 'n' }, status: { phase: 'New' } }),
    {},
    'New',
  ],
  [
    'a condition',
    ['namespace'],
    'PATCH',
    '/status',
    () => ({ status: { conditions: [{ type: 'A', status: 'False' }] } }),
    asStrategic,
    '"False"',
  ],
  [
    'a list of conditions',
    ['namespace'],
    'PATCH',
    '/status',
    () => ({
      status: {
        conditions: [
          { type: 'B', status: 'Maybe' },
          { type: 'A', status: 'False' },
        ],
      },
    }),
    asMerge,
    '"Maybe"',
  ],
  [
    'finalizers that are put',
    ['namespace'],
    'PUT',
    '/finalize',
    (kind) => ({ ...typeOf(kind), metadata: { name: 'n' }, spec: { finalizers: ['a.b/c'] } }),
    {},
    'a.b/c',
  ],
]
/** Everything that only a newer release knows. */
const unknownParts = (text: string): readonly string[] =>
  [...text.matchAll(/"future":\["x",\{"y":null\}\]|"novel":\{"a":1\}|"(from|in|since)TheFuture":\d+/g)]
    .map(([part]) => part)
    .sort()
const newerOwner = '{"f:future":{},"f:spec":{"f:fromTheFuture":{}}}'

for (const [name, of, method, target, body, headers, now] of writes) {
  for (const kind of of) {
    test(`unknown fields: ${name} keeps those of a ${kind}`, async () => {
      const { path, send, stored } = await start(kind, `${name} ${kind}`)
      const query = headers === asMerge || headers === asJson ? '?fieldValidation=Strict' : ''
      const answer = await send(method, `${path}${target}${query}`, body(kind), headers)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const after = stored()
      assert.deepEqual(unknownParts(after), unknownParts(textOf(kinds[kind].object)), after)
      assert.ok(after.includes(now), after)
      assert.equal(unknownParts(JSON.stringify(answer.body)).length, 0, 'clients see what this release knows')
      assert.equal(answer.headers['warning'], undefined)
      const { managedFields } = JSON.parse(after).metadata as {
        managedFields: { manager: string; fieldsV1: object }[]
      }
      for (const { manager, fieldsV1 } of managedFields) {
        if (manager === 'newer') assert.equal(JSON.stringify(fieldsV1), newerOwner)
        else assert.doesNotMatch(JSON.stringify(fieldsV1), /future|novel/i)
      }
      assert.ok(managedFields.some(({ manager }) => manager === 'newer'))
    })
  }
}

test('unknown fields: they outlive many writes, and are not shown though everyone encodes alike by now', async () => {
  const { path, send, stored } = await start('beacon', 'many writes')
  const before = unknownParts(stored())
  for (let round = 0; round < 3; round++) {
    await send('PATCH', path, { spec: { everySeconds: 6 + round } }, asMerge)
    const { body } = await send('GET', path)
    assert.deepEqual(body.spec, { everySeconds: 6 + round, colour: 'red' })
    assert.deepEqual(unknownParts(JSON.stringify(body)), [])
    assert.deepEqual(unknownParts(stored()), before)
  }
})

test('unknown fields: what is planted among bytes that everyone encoded alike is kept by patches too', async () => {
  const { path, send, stored, data, key } = await start('configMap', 'planted')
  data.commit({
    writes: [{ kind: 'put', key, value: Buffer.from(textOf(kinds.configMap.object)) }],
    guards: [],
  })
  await send('PATCH', path, label, asMerge)
  assert.deepEqual(unknownParts(stored()), unknownParts(textOf(kinds.configMap.object)))
})

test('unknown fields: a patch that names one neither changes nor removes it', async () => {
  const { path, send, stored } = await start('scaler', 'named')
  const before = unknownParts(stored())
  const removed = await send('PATCH', path, { future: null, spec: { fromTheFuture: null } }, asMerge)
  assert.equal(removed.status, 200)
  assert.deepEqual(unknownParts(stored()), before)
  const absent = await send('PATCH', path, [{ op: 'remove', path: '/spec/fromTheFuture' }], asJson)
  assert.equal(absent.status, 422)
  const changed = await send('PATCH', path, { spec: { fromTheFuture: 2 } }, asMerge)
  assert.match(String(changed.headers['warning']), /unknown field \\"spec.fromTheFuture\\"/)
  const strict = await send(
    'PATCH',
    `${path}?fieldValidation=Strict`,
    { spec: { fromTheFuture: 2 } },
    asMerge,
  )
  assert.equal(strict.status, 422)
  assert.match(strict.body.message, /strict decoding error: unknown field "spec.fromTheFuture"$/)
  assert.deepEqual(unknownParts(stored()), before)
})

test('unknown fields: who applied one through a newer server, and applies without it, gives it up and leaves it', async () => {
  const { object } = kinds.scaler
  const [entry] = object.metadata.managedFields
  const managedFields = [{ ...entry, manager: 'm', operation: 'Apply' }]
  const { path, send, stored } = await start('scaler', 'given up', {
    ...object,
    metadata: { ...object.metadata, managedFields },
  })
  const before = unknownParts(stored())
  const applied = { ...typeOf('scaler'), spec: { replicas: 2 } }
  const { status } = await send('PATCH', `${path}?fieldManager=m`, applied, asApply)
  assert.equal(status, 200)
  assert.deepEqual(unknownParts(stored()), before)
  assert.doesNotMatch(stored(), /f:fromTheFuture/)
})

test('unknown fields: what a patch removes takes along what was in it', async () => {
  const { path, send, stored } = await start('scaler', 'removed')
  await send('PATCH', path, { spec: null }, asMerge)
  assert.equal(JSON.parse(stored()).spec, undefined)
  assert.match(stored(), /"future"/)
})

for (const kind of ['configMap', 'beacon', 'beaconInOtherVersion', 'scaler'] as const) {
  test(`unknown fields: a ${kind} that is put as it was read is a no-op, and one that is changed is replaced`, async () => {
    const { path, send, stored } = await start(kind, `put ${kind}`)
    const before = unknownParts(stored())
    const { body: read } = await send('GET', path)
    assert.deepEqual(unknownParts(JSON.stringify(read)), [])
    const same = await send('PUT', path, read)
    assert.equal(same.status, 200, JSON.stringify(same.body))
    assert.deepEqual(unknownParts(stored()), before)
    const { managedFields: _, ...metadata } = same.body.metadata
    await send('PUT', path, { ...same.body, metadata })
    assert.deepEqual(unknownParts(stored()), before, 'a client need not know of managedFields')
    const labels = { a: 'b' }
    const changed = await send('PUT', path, { ...same.body, metadata: { ...same.body.metadata, labels } })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    assert.deepEqual(unknownParts(stored()), [])
  })
}

test('unknown fields: a deletion that waits for finalizers keeps them', async () => {
  const { path, send, stored } = await start('configMap', 'deletion')
  await send('PATCH', path, { metadata: { finalizers: ['a.b/c'] } }, asMerge)
  await send('DELETE', path)
  assert.match(stored(), /deletionTimestamp/)
  assert.deepEqual(unknownParts(stored()), unknownParts(textOf(kinds.configMap.object)))
})
