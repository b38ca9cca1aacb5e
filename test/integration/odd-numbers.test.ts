import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

// Numbers that JavaScript would write in another way than they were read are kept as texts, which compare with nothing.

const question = { group: '', resource: 'configmaps' }
const beacons = '/apis/lighthouse.example.dev'
/** Where each field that is compared may stand; `0` is where the number goes. */
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
                properties: { a: { type: 'string', maxLength: 0, minLength: 0 } },
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
