import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beacon, beaconPath } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

const yaml = { 'content-type': 'application/apply-patch+yaml' }
const merge = { 'content-type': 'application/merge-patch+json' }

interface Managed {
  readonly manager: string
  readonly operation: string
  readonly time?: string
  readonly subresource?: string
  readonly fieldsV1: unknown
}
const ownersOf = (object: { metadata: { managedFields?: Managed[] } }): Record<string, unknown> =>
  Object.fromEntries((object.metadata.managedFields ?? []).map((each) => [each.manager, each.fieldsV1]))

const refused: ReadonlyArray<
  [name: string, path: string, body: unknown, code: number, reason: string | undefined, message: string]
> = [
  [
    'no manager',
    'a',
    configMap('a'),
    422,
    'Invalid',
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  ],
  [
    'no kind',
    'a?fieldManager=m',
    { metadata: { name: 'a' } },
    400,
    'BadRequest',
    'invalid object type: /, Kind=',
  ],
  [
    'another version',
    'a?fieldManager=m',
    { ...configMap('a'), apiVersion: 'apps/v1' },
    400,
    'BadRequest',
    'invalid object type: apps/v1, Kind=ConfigMap',
  ],
  ['nothing', 'a?fieldManager=m', Buffer.from(''), 400, 'BadRequest', 'invalid object type: /, Kind='],
  [
    'a list',
    'a?fieldManager=m',
    Buffer.from('- a'),
    400,
    'BadRequest',
    'error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
  ],
  [
    'another name',
    'a?fieldManager=m',
    configMap('b'),
    400,
    'BadRequest',
    'the name of the object (b) does not match the name on the URL (a)',
  ],
  [
    'no name',
    'new?fieldManager=m',
    { apiVersion: 'v1', kind: 'ConfigMap' },
    400,
    'BadRequest',
    'the name of the object (new based on URL) was undeterminable: name must be provided',
  ],
  [
    'owners',
    'a?fieldManager=m',
    { ...configMap('a'), metadata: { name: 'a', managedFields: [] } },
    400,
    'BadRequest',
    'metadata.managedFields must be nil',
  ],
  [
    'a number for a text',
    'a?fieldManager=m',
    { ...configMap('a'), data: { a: 1 } },
    500,
    undefined,
    'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}',
  ],
  [
    'an identity, of nothing',
    'new?fieldManager=m',
    { ...configMap('new'), metadata: { name: 'new', uid: 'u' } },
    409,
    'Conflict',
    'Operation cannot be fulfilled on configmaps "new": uid mismatch: the provided object specified uid u, and no existing object was found',
  ],
  [
    'a state that is past',
    'a?fieldManager=m',
    { ...configMap('a'), metadata: { name: 'a', resourceVersion: '1' } },
    409,
    'Conflict',
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'the status of nothing',
    '/api/v1/namespaces/none/status?fieldManager=m',
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'none' } },
    404,
    'NotFound',
    'namespaces "none" not found',
  ],
]
test('apply: what cannot be applied is refused with upstream’s message', async (t) => {
  const { send } = await startServer('refused')
  await send('POST', maps, configMap('a'))
  for (const [name, path, body, code, reason, message] of refused) {
    await t.test(name, async () => {
      const answer = await send('PATCH', path.startsWith('/') ? path : `${maps}/${path}`, body, yaml)
      assert.deepEqual([answer.status, answer.body.reason, answer.body.message], [code, reason, message])
    })
  }
})

test('apply: a duplicate key causes a warning, and strict validation refuses it', async () => {
  const { send } = await startServer('twice')
  const twice = Buffer.from(
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  z: "1"\n  x: "2"\n',
  )
  const strict = await send('PATCH', `${maps}/a?fieldManager=m&fieldValidation=Strict`, twice, yaml)
  assert.equal(strict.status, 400)
  assert.equal(
    strict.body.message,
    'error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 8: key "x" already set in map',
  )
  const warned = await send('PATCH', `${maps}/a?fieldManager=m`, twice, yaml)
  assert.equal(warned.status, 201, JSON.stringify(warned.body))
  assert.deepEqual(warned.body.data, { x: '2', z: '1' })
  assert.match(String(warned.headers['warning']), /line 8: key \\"x\\" already set in map/)
})

test('apply: creates, changes nothing when nothing is new, and counts generations', async () => {
  const { send } = await startServer('generations')
  const path = `${beaconPath('v2', 'b')}?fieldManager=m`
  const made = await send('PATCH', path, beacon('v2', 'b', 5), yaml)
  assert.deepEqual([made.status, made.body.metadata.generation], [201, 1])
  assert.deepEqual(ownersOf(made.body), { m: { 'f:spec': { 'f:periodMs': {} } } })
  const again = await send('PATCH', path, beacon('v2', 'b', 5), yaml)
  assert.deepEqual([again.status, again.body], [200, made.body])
  const changed = await send('PATCH', path, beacon('v2', 'b', 6), yaml)
  assert.deepEqual([changed.status, changed.body.metadata.generation], [200, 2])
})

test('apply: a dry run makes nothing', async () => {
  const { send } = await startServer('dry')
  const dry = await send('PATCH', `${maps}/a?fieldManager=m&dryRun=All`, configMap('a'), yaml)
  assert.deepEqual([dry.status, dry.body.metadata.resourceVersion], [201, undefined])
  assert.equal((await send('GET', `${maps}/a`)).status, 404)
})

test('apply: in another version, owners keep what they have said in theirs', async () => {
  const { send } = await startServer('versions')
  const old = `${beaconPath('v1', 'b')}?fieldManager=old`
  const spec = { everySeconds: 5, colour: 'red' }
  await send('PATCH', old, { ...beacon('v1', 'b', 5), spec }, yaml)
  const other = `${beaconPath('v2', 'b')}?fieldManager=new`
  const conflict = await send('PATCH', other, beacon('v2', 'b', 6), yaml)
  assert.equal(conflict.body.message, 'Apply failed with 1 conflict: conflict with "old": .spec.everySeconds')
  const shared = await send('PATCH', other, beacon('v2', 'b', 5), yaml)
  assert.equal(shared.status, 200, JSON.stringify(shared.body))
  const dropped = await send('PATCH', old, beacon('v1', 'b', 5), yaml)
  assert.equal(dropped.body.spec.colour, 'white', 'a field without an applier gets the default again')
  const moved = await send('PATCH', `${beaconPath('v2', 'b')}?fieldManager=old`, beacon('v2', 'b', 5), yaml)
  assert.equal(moved.status, 200, JSON.stringify(moved.body))
  assert.deepEqual(ownersOf(moved.body), {
    new: { 'f:spec': { 'f:periodMs': {} } },
    old: { 'f:spec': { 'f:periodMs': {} } },
  })
})

test('apply: what is required cannot be dropped by its last owner', async () => {
  const { send } = await startServer('required')
  const path = `${beaconPath('v2', 'b')}?fieldManager=m`
  await send('PATCH', path, beacon('v2', 'b', 5), yaml)
  const bare = { ...beacon('v2', 'b', 5), spec: {} }
  const refused = await send('PATCH', path, bare, yaml)
  assert.equal(refused.status, 422)
  assert.match(refused.body.message, /spec.periodMs: Required value/)
})

test('apply: a status belongs to who applied it by way of the status', async () => {
  const { send } = await startServer('status')
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }
  const labelled = { ...namespace, metadata: { name: 'n', labels: { l: '1' } } }
  await send('PATCH', '/api/v1/namespaces/n?fieldManager=one', labelled, yaml)
  const conditions = [{ type: 'Own', status: 'True' }]
  const { body } = await send(
    'PATCH',
    '/api/v1/namespaces/n/status?fieldManager=ctl',
    { ...labelled, metadata: { name: 'n', labels: { l: '2' } }, status: { conditions } },
    yaml,
  )
  assert.equal(body.metadata.labels.l, '1')
  const entry = body.metadata.managedFields.find(({ manager }: Managed) => manager === 'ctl')
  assert.deepEqual(
    [entry.operation, entry.subresource, entry.fieldsV1],
    [
      'Apply',
      'status',
      { 'f:status': { 'f:conditions': { 'k:{"type":"Own"}': { '.': {}, 'f:status': {}, 'f:type': {} } } } },
    ],
  )
  const main = await send(
    'PATCH',
    '/api/v1/namespaces/n?fieldManager=one',
    { ...labelled, status: { phase: 'X' } },
    yaml,
  )
  assert.deepEqual([main.status, main.body.status.phase], [200, 'Active'])
})

test('apply: after the owners were forgotten, all belongs to one who came before', async () => {
  const { send } = await startServer('reset')
  await send('POST', `${maps}?fieldManager=maker`, configMap('a', { x: '1' }))
  const forgotten = await send('PATCH', `${maps}/a`, { metadata: { managedFields: [{}] } }, merge)
  assert.equal(forgotten.body.metadata.managedFields, undefined)
  const { body } = await send('PATCH', `${maps}/a?fieldManager=m`, configMap('a', { y: '2' }), yaml)
  assert.deepEqual(ownersOf(body), {
    m: { 'f:data': { 'f:y': {} } },
    'before-first-apply': { 'f:data': { '.': {}, 'f:x': {} } },
  })
})

test('apply: kubectl may go over from applying by itself', async () => {
  const { send } = await startServer('kubectl')
  const name = 'kubectl.kubernetes.io/last-applied-configuration'
  const mine = configMap('a', { x: '1' })
  const stored = { ...mine, metadata: { name: 'a', annotations: { [name]: JSON.stringify(mine) } } }
  await send('POST', `${maps}?fieldManager=kubectl-client-side-apply`, stored)
  const other = await send('PATCH', `${maps}/a?fieldManager=other`, configMap('a', { x: '2' }), yaml)
  assert.equal(other.status, 409)
  const next = configMap('a', { x: '2' })
  const { status, body } = await send('PATCH', `${maps}/a?fieldManager=kubectl`, next, yaml)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(JSON.parse(body.metadata.annotations[name]), next)
})

test('apply: a secret in plain text is stored and owned as upstream has it', async () => {
  const { send, simulation } = await startServer('secret')
  const path = '/api/v1/namespaces/default/secrets/s?fieldManager=m'
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'x' } }
  const { status, body } = await send('PATCH', path, secret, yaml)
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual([body.data, body.stringData], [{ a: 'eA==' }, undefined])
  assert.deepEqual(ownersOf(body), { m: { 'f:stringData': { 'f:a': {} } } })
  await simulation.run({ untilMs: simulation.nowMs + 5_000 })
  const again = await send('PATCH', path, secret, yaml)
  assert.deepEqual(again.body, body, 'what comes to the same is no write, though it looks different at first')
})
