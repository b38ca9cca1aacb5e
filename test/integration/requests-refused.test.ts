import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

interface BadRequest {
  readonly name: string
  readonly method: string
  readonly target: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly status: number
  readonly message: RegExp
}
const bad: readonly BadRequest[] = [
  {
    name: 'an agreement record on trial',
    method: 'PUT',
    target: `${agreementPath}?dryRun=All`,
    body: {},
    status: 400,
    message: /^dryRun: agreement records have no dry run/,
  },
  {
    name: 'a value that the schema of a kind of our own refuses',
    method: 'POST',
    target: beaconPath('v1'),
    body: beacon('v1', 'x', -3),
    status: 422,
    message:
      /^Beacon\.lighthouse\.example\.dev "x" is invalid: spec\.everySeconds: Invalid value: -3: .* greater than or equal to 1$/,
  },
  {
    name: 'a required field that is not there',
    method: 'POST',
    target: beaconPath('v1'),
    body: { apiVersion: 'lighthouse.example.dev/v1', kind: 'Beacon', metadata: { name: 'x' } },
    status: 422,
    message: /^Beacon\.lighthouse\.example\.dev "x" is invalid: spec: Required value$/,
  },
  {
    name: 'no token',
    method: 'GET',
    target: maps,
    headers: { authorization: '' },
    status: 403,
    message: /^configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps"/,
  },
  {
    name: 'a wrong token, also on an open path',
    method: 'GET',
    target: '/livez',
    headers: { authorization: 'Bearer x' },
    status: 401,
    message: /^Unauthorized$/,
  },
  {
    name: 'an unknown kind',
    method: 'GET',
    target: '/api/v1/namespaces/default/things',
    status: 404,
    message: /could not find the requested resource/,
  },
  { name: 'an unknown path', method: 'GET', target: '/api/v2', status: 404, message: /could not find/ },
  {
    name: 'a verb that is not there',
    method: 'PUT',
    target: maps,
    body: {},
    status: 405,
    message: /does not allow this method/,
  },
  {
    name: 'a creation at the path of an object',
    method: 'POST',
    target: `${maps}/a`,
    body: configMap('b'),
    status: 405,
    message: /does not allow this method/,
  },
  ...['DELETE', 'PATCH'].map((method) => ({
    name: `a ${method} of an agreement record, which says who writes it`,
    method,
    target: '/apis/strata.dev/v1alpha1/storageagreements/configmaps',
    body: {},
    status: 405,
    message:
      /does not allow this method on the requested resource: an agreement record is written only by the API/,
  })),
  {
    name: 'a replacement of a whole collection',
    method: 'PUT',
    target: maps,
    body: configMap('a'),
    status: 405,
    message: /does not allow this method/,
  },
  {
    name: 'a slash inside a name',
    method: 'GET',
    target: `${maps}/a%2Fb`,
    status: 404,
    message: /could not find/,
  },
  {
    name: 'a namespaced kind created without a namespace',
    method: 'POST',
    target: '/api/v1/configmaps',
    body: configMap('a'),
    status: 404,
    message: /could not find/,
  },
  {
    name: 'a body that is not JSON',
    method: 'POST',
    target: maps,
    body: undefined,
    status: 400,
    message:
      /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: unexpected end of JSON input \(<empty>\)$/,
  },
  {
    name: 'another kind in the body',
    method: 'POST',
    target: maps,
    body: { apiVersion: 'v1', kind: 'Secret' },
    status: 400,
    message: /^Secret in version "v1" cannot be handled as a ConfigMap: /,
  },
  {
    name: 'another namespace in the body',
    method: 'POST',
    target: maps,
    body: { ...configMap('a'), metadata: { name: 'a', namespace: 'other' } },
    status: 400,
    message: /namespace of the provided object does not match/,
  },
  {
    name: 'a namespace that is not there',
    method: 'POST',
    target: '/api/v1/namespaces/nowhere/configmaps',
    body: configMap('a'),
    status: 404,
    message: /namespaces "nowhere" not found/,
  },
  {
    name: 'a bad name',
    method: 'POST',
    target: maps,
    body: configMap('Not_A_Name'),
    status: 422,
    message: /metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/,
  },
  {
    name: 'no name at all',
    method: 'POST',
    target: maps,
    body: { apiVersion: 'v1', kind: 'ConfigMap' },
    status: 422,
    message: /metadata\.name: Required value: name or generateName is required/,
  },
  {
    name: 'a bad key',
    method: 'POST',
    target: maps,
    body: configMap('a', { 'no spaces': '' }),
    status: 422,
    message: /data\[no spaces\]: Invalid value/,
  },
  {
    name: 'a wrong type',
    method: 'POST',
    target: maps,
    body: { ...configMap('a'), data: { k: 1 } },
    status: 400,
    message: /json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
  },
  {
    name: 'a resourceVersion on create',
    method: 'POST',
    target: maps,
    body: { ...configMap('a'), metadata: { name: 'a', resourceVersion: '5' } },
    status: 500,
    message: /resourceVersion should not be set on objects to be created/,
  },
  {
    name: 'a wrong media type',
    method: 'POST',
    target: maps,
    body: {},
    headers: { 'content-type': 'text/plain' },
    status: 415,
    message: /accepted media types include/,
  },
  {
    name: 'a selector that is none',
    method: 'GET',
    target: `${maps}?labelSelector=a%20in%20b`,
    status: 400,
    message: /unable to parse requirement: found 'b' expected: '\('/,
  },
  {
    name: 'an update of what is not there',
    method: 'PUT',
    target: `${maps}/missing`,
    body: configMap('missing'),
    status: 404,
    message: /configmaps "missing" not found/,
  },
  {
    name: 'an update under another name',
    method: 'PUT',
    target: `${maps}/one`,
    body: configMap('two'),
    status: 400,
    message: /does not match the name on the URL/,
  },
  {
    name: 'a deletion of a namespace that must stay',
    method: 'DELETE',
    target: '/api/v1/namespaces/default',
    status: 403,
    message: /this namespace may not be deleted/,
  },
  {
    name: 'a value that the kind refuses',
    method: 'POST',
    target: beaconPath('v2'),
    body: beacon('v2', 'b', 100_000),
    status: 422,
    message:
      /Beacon.lighthouse.example.dev "b" is invalid: spec.periodMs: Invalid value: 100000000: must be at most a day/,
  },
  {
    name: 'a write to a projection',
    method: 'DELETE',
    target: '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/core.configmaps',
    status: 403,
    message: /"core.configmaps" is forbidden: it shows what the API servers have recorded/,
  },
]
const tooMuch: readonly BadRequest[] = [
  {
    name: 'an exact past before all time',
    method: 'GET',
    target: `${maps}?resourceVersion=0&resourceVersionMatch=Exact`,
    status: 422,
    message: /resourceVersionMatch "exact" is forbidden for resourceVersion "0"/,
  },
  {
    name: 'a list from the future',
    method: 'GET',
    target: `${maps}?resourceVersion=999999`,
    status: 504,
    message: /^Timeout: Too large resource version: 999999, current: \d+$/,
  },
  {
    name: 'an object from the future',
    method: 'GET',
    target: `/api/v1/namespaces/default?resourceVersion=999999`,
    status: 504,
    message: /Too large resource version/,
  },
  {
    name: 'a config map that is too large',
    method: 'POST',
    target: maps,
    body: configMap('large', { k: 'x'.repeat(1024 * 1024 + 1) }),
    status: 422,
    message: /Too long: may not be more than 1048576 bytes/,
  },
  {
    name: 'annotations that are too large',
    method: 'POST',
    target: maps,
    body: { ...configMap('a'), metadata: { name: 'a', annotations: { a: 'x'.repeat(256 * 1024) } } },
    status: 422,
    message: /metadata.annotations: Too long: may not be more than 262144 bytes/,
  },
  {
    name: 'an object that no transaction takes',
    method: 'POST',
    target: beaconPath('v2'),
    body: { ...beacon('v2', 'b', 5), spec: { periodMs: 5, colour: 'x'.repeat(2 * 1024 * 1024) } },
    status: 413,
    message: /Request entity too large/,
  },
  {
    name: 'an unknown field, strictly',
    method: 'POST',
    target: `${maps}?fieldValidation=Strict`,
    body: { ...configMap('a'), bogus: 1 },
    status: 400,
    message: /strict decoding error: unknown field "bogus"/,
  },
  {
    name: 'a subresource that is not there',
    method: 'PUT',
    target: `${maps}/a/finalize`,
    body: configMap('a'),
    status: 404,
    message: /could not find/,
  },
]

test('requests: bad input gets a clear answer, and the server goes on', async (t) => {
  const { send } = await startServer('bad input')
  for (const { name, method, target, body, headers, status, message } of [...bad, ...tooMuch]) {
    await t.test(name, async () => {
      const answer = await send(method, target, body, headers)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.match(answer.body.message, message)
      assert.equal(answer.body.kind, 'Status')
      assert.ok(answer.headers['audit-id'])
    })
  }
  assert.equal((await send('POST', maps, configMap('after-all-that'))).status, 201)
})
