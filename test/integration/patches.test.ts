import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beacon, beaconPath } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const merge = { 'content-type': 'application/merge-patch+json' }

test('patches: conditions of a namespace merge by type, and go by directive', async () => {
  const { send } = await startServer('conditions')
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }
  await send('POST', '/api/v1/namespaces', namespace)
  const patch = async (conditions: readonly object[]): Promise<unknown> => {
    const status = '/api/v1/namespaces/n/status?fieldManager=one'
    const { body } = await send('PATCH', status, { status: { conditions } }, strategic)
    return body.status.conditions
  }
  const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: null })
  assert.deepEqual(await patch([{ type: 'A', status: 'True' }]), [condition('A', 'True')])
  assert.deepEqual(await patch([{ type: 'B', status: 'True' }]), [
    condition('B', 'True'),
    condition('A', 'True'),
  ])
  assert.deepEqual(
    await patch([
      { type: 'A', $patch: 'delete' },
      { type: 'B', status: 'False' },
    ]),
    [condition('B', 'False')],
  )
})

const refused: ReadonlyArray<[name: string, query: string, patch: unknown, code: number, message: string]> = [
  ['a list', '', [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  [
    'a number for a text',
    '',
    { data: { a: 1 } },
    422,
    ' "" is invalid: patch: Invalid value: "map[data:map[a:1]]": cannot convert int64 to string',
  ],
  [
    'a text for a truth value',
    '',
    { immutable: 'yes' },
    422,
    ' "" is invalid: patch: Invalid value: "map[immutable:yes]": unrecognized type: bool',
  ],
  [
    'a text for a list',
    '',
    { metadata: { finalizers: 'x' } },
    422,
    ' "" is invalid: patch: Invalid value: "map[metadata:map[finalizers:x]]": cannot restore slice from string',
  ],
  [
    'an unknown field',
    '?fieldValidation=Strict',
    { bogus: 1 },
    422,
    ' "" is invalid: patch: Invalid value: "map[bogus:1]": strict decoding error: unknown field "bogus"',
  ],
  [
    'unknown fields, in order',
    '?fieldValidation=Strict',
    { metadata: { bogus: 1 }, extra: true },
    422,
    ' "" is invalid: patch: Invalid value: "map[extra:true metadata:map[bogus:1]]": strict decoding error: unknown field "extra", unknown field "metadata.bogus"',
  ],
  [
    'an unknown directive',
    '',
    { data: { $patch: 'frob' } },
    500,
    'unknown patch type: frob in map: map[$patch:frob]',
  ],
  [
    'force',
    '?force=false',
    {},
    422,
    'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  ],
]
test('patches: what a strategic merge patch cannot do is refused with upstream’s message', async (t) => {
  const { send } = await startServer('refused')
  await send('POST', maps, configMap('a'))
  for (const [name, query, patch, code, message] of refused) {
    await t.test(name, async () => {
      const { status, body } = await send('PATCH', `${maps}/a${query}`, patch, strategic)
      assert.deepEqual([status, body.message], [code, message])
    })
  }
})

test('patches: strategies are known of built-in kinds only', async () => {
  const { send } = await startServer('untyped')
  await send('POST', beaconPath('v2'), beacon('v2', 'b', 5))
  const { status, body } = await send('PATCH', beaconPath('v2', 'b'), { spec: {} }, strategic)
  assert.equal(status, 415)
  assert.match(
    body.message,
    /^the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json/,
  )
})

test('patches: a duplicate key causes a warning, and strict validation refuses it', async () => {
  const { send } = await startServer('twice')
  await send('POST', maps, configMap('a'))
  const twice = Buffer.from('{"data":{"x":"1","x":"2"}}')
  const warned = await send('PATCH', `${maps}/a`, twice, merge)
  assert.equal(warned.status, 200, JSON.stringify(warned.body))
  assert.equal(warned.body.data.x, '2')
  const strict = await send('PATCH', `${maps}/a?fieldValidation=Strict`, twice, strategic)
  assert.equal(strict.status, 422)
  assert.match(strict.body.message, /strict decoding error: duplicate field "data.x"$/)
})
