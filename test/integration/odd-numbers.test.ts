import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

// Numbers that JavaScript would write in another way than they were read are kept as texts, which compare with nothing.

const question = { group: '', resource: 'configmaps' }
const beacons = '/apis/lighthouse.example.dev'
const aRule = { 'x-kubernetes-validations': [{ rule: 'self == self' }] }

/** The places of each compared field; `0` stands for the number. */
const bodies: ReadonlyArray<readonly [path: string, body: object]> = [
  [
    '/apis/strata.dev/v1alpha1/storagereencodes',
    { spec: { ...question, encodingVersion: 'v1', epoch: 0, limit: 0 } },
  ],
  ['/apis/strata.dev/v1alpha1/storagecensuses', { spec: { ...question, limit: 0 } }],
  ['/api/v1/namespaces/default/serviceaccounts/a/token', { spec: { expirationSeconds: 0 } }],
  ['/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'a', generation: 0 } }],
  // Kinds that an embedder defines, whose code knows nothing of such texts.
  [`${beacons}/v1/namespaces/default/beacons`, { metadata: { name: 'a' }, spec: { everySeconds: 0 } }],
  [`${beacons}/v2/namespaces/default/beacons`, { metadata: { name: 'b' }, spec: { periodMs: 0 } }],
  ['/api/v1/namespaces', { kind: [{ a: 0 }], metadata: { name: 'a' } }],
  ['/api/v1/namespaces', { apiVersion: { a: 0 }, metadata: { name: 'a' } }],
  [
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata: { generateName: 'a' }, spec: { leaseDurationSeconds: 0, leaseTransitions: 0 } },
  ],
  [
    '/apis/apiregistration.k8s.io/v1/apiservices',
    {
      metadata: { name: 'v1.q.dev' },
      spec: { group: 'q.dev', version: 'v1', groupPriorityMinimum: 0, versionPriority: 0 },
    },
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    {
      metadata: { name: 'things.q.dev' },
      spec: {
        ...{ group: 'q.dev', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  a: { type: 'string', maxLength: 0, minLength: 0 },
                  // With rules, limits also say what the rules may cost.
                  b: { ...{ type: 'string', maxLength: 0 }, ...aRule },
                  c: { type: 'array', maxItems: 0, items: { type: 'string' }, ...aRule },
                  d: { type: 'object', maxProperties: 0, additionalProperties: { type: 'string' }, ...aRule },
                },
              },
            },
          },
        ],
      },
    },
  ],
]

for (const number of ['9007199254740993', '-9223372036854775808', '-0', '1.0', '1e3', '1e400']) {
  test(`the number ${number} is taken or refused in every field, and fails no request by a bug`, async () => {
    const { send } = await startServer(`odd numbers ${number}`)
    await send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'a' } })
    for (const [path, body] of bodies) {
      const text = JSON.stringify(body).replaceAll(/:0(?=[,}])/g, `:${number}`)
      const { status, body: answer } = await send('POST', path, Buffer.from(text))
      assert.ok(status < 500, `${path} answered ${status} ${JSON.stringify(answer)}`)
      if (status >= 400) assert.equal(answer.kind, 'Status', path)
    }
  })
}

const warned: ReadonlyArray<
  readonly [what: string, path: string, body: string, status: number, message: RegExp]
> = [
  [
    'an integer of a built-in kind beyond a float64',
    '/api/v1/namespaces/default/configmaps',
    '{"metadata":{"name":"a","generation":1e400}}',
    400,
    /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number 1e400 into Go struct field ObjectMeta\.metadata\.generation of type int64$/,
  ],
  [
    'a field that the kind does not have',
    '/api/v1/namespaces/default/configmaps',
    '{"metadata":{"name":"a"},"other":1e400}',
    400,
    /json parse error: json: cannot unmarshal number 1e400 into Go value of type float64 /,
  ],
  [
    'another kind than the path takes',
    '/api/v1/namespaces/default/configmaps',
    '{"kind":"Secret","metadata":{"name":"a","generation":1e400}}',
    400,
    /^Secret in version "v1" cannot be handled as a ConfigMap/,
  ],
  [
    "an integer of an embedder's kind beyond 2^53",
    `${beacons}/v2/namespaces/default/beacons`,
    '{"metadata":{"name":"a"},"spec":{"periodMs":9223372036854775807}}',
    422,
    /^Beacon\.lighthouse\.example\.dev "a" is invalid: spec\.periodMs: Invalid value: 9223372036854775807: spec\.periodMs in body must be an integer between -9007199254740991 and 9007199254740991$/,
  ],
  [
    "an integer of an embedder's kind beyond a float64",
    `${beacons}/v2/namespaces/default/beacons`,
    '{"metadata":{"name":"a"},"spec":{"periodMs":1e400}}',
    422,
    /^Beacon\.lighthouse\.example\.dev "a" is invalid: spec\.periodMs: Invalid value: "number": spec\.periodMs in body must be of type integer/,
  ],
]
for (const [what, path, body, status, message] of warned) {
  test(`a number is refused by the name of its field: ${what}`, async () => {
    const { send } = await startServer(`odd numbers ${what}`)
    const answer = await send('POST', path, Buffer.from(body))
    assert.equal(answer.status, status)
    assert.match(answer.body.message, message)
  })
}

const patches: ReadonlyArray<readonly [type: string, patch: string, status: number, message: RegExp]> = [
  [
    'merge-patch',
    '{"metadata":{"generation":1e400}}',
    422,
    /json: cannot unmarshal number 1e400 into Go struct field ObjectMeta\.metadata\.generation of type int64$/,
  ],
  [
    'json-patch',
    '[{"op":"add","path":"/metadata/generation","value":1e400}]',
    422,
    /json: cannot unmarshal number 1e400 into Go struct field ObjectMeta\.metadata\.generation of type int64$/,
  ],
  [
    'merge-patch',
    '{"other":1e400}',
    400,
    /json: cannot unmarshal number 1e400 into Go value of type float64$/,
  ],
  [
    'strategic-merge-patch',
    '{"metadata":{"generation":1e400}}',
    400,
    /json: cannot unmarshal number 1e400 into Go value of type float64$/,
  ],
]
test('a patch with a number beyond a float64 is refused by the name of its field, if a field has it', async () => {
  const { send } = await startServer('odd numbers in patches')
  const maps = '/api/v1/namespaces/default/configmaps'
  assert.equal((await send('POST', maps, { metadata: { name: 'a' } })).status, 201)
  for (const [type, patch, status, message] of patches) {
    const headers = { 'content-type': `application/${type}+json` }
    const answer = await send('PATCH', `${maps}/a`, Buffer.from(patch), headers)
    assert.equal(answer.status, status, `${type} ${patch}: ${JSON.stringify(answer.body)}`)
    assert.match(answer.body.message, message)
  }
})
