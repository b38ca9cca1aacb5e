import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiObject,
  defineResource,
  identityVersion,
  integer,
  objectSchema,
  type ResourceDefinition,
} from '@strata/api'
import {
  configuration,
  configurationPath,
  label,
  patchOf,
  type Say,
  startAdmissionServer,
} from '../support/admission-server.ts'
import { call } from '../support/fleet.ts'
import { configMap, maps } from '../support/one-server.ts'

type Started = Awaited<ReturnType<typeof startAdmissionServer>>
const yes: Say = () => ({})
const merge = { 'content-type': 'application/merge-patch+json' }

async function configure(
  { send }: Started,
  kind: 'Mutating' | 'Validating',
  ...webhooks: Parameters<typeof configuration>[2][]
) {
  const { status } = await send('POST', configurationPath(kind), configuration(kind, 'c', ...webhooks))
  assert.equal(status, 201)
}

const scalers = defineResource<ApiObject>({
  ...{ group: 'scale.example.dev', kind: 'Scaler', plural: 'scalers', scope: 'Namespaced' },
  versions: {
    v1: identityVersion(
      objectSchema({
        spec: { type: 'object', properties: { replicas: integer } },
        status: { type: 'object', properties: { replicas: integer } },
      }),
    ),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'scale.example.dev/scalers',
  subresources: { scale: { v1: { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas' } } },
}) as unknown as ResourceDefinition

test('admission: a write of scale sends a Scale to webhooks, and they may change its number', async () => {
  const says: Say = ({ subResource, object }) =>
    subResource === 'scale' && object.spec.replicas > 5
      ? patchOf({ op: 'replace', path: '/spec/replicas', value: 5 })
      : {}
  const started = await startAdmissionServer('scale', { m: says, v: yes }, { resources: [scalers] })
  const { send, asked } = started
  const path = '/apis/scale.example.dev/v1/namespaces/default/scalers'
  const object = { apiVersion: 'scale.example.dev/v1', kind: 'Scaler', metadata: { name: 's' } }
  await send('POST', path, { ...object, spec: { replicas: 1 } })
  await configure(started, 'Mutating', ['m'])
  await configure(started, 'Validating', ['v'])
  const { status, body } = await send('PATCH', `${path}/s/scale`, { spec: { replicas: 9 } }, merge)
  assert.equal(status, 200)
  assert.equal(body.spec.replicas, 5)
  const [first, second, ...more] = asked()
  assert.deepEqual(more, [])
  for (const { request } of [first, second].filter((each) => each !== undefined)) {
    assert.deepEqual(request.kind, { group: 'autoscaling', version: 'v1', kind: 'Scale' })
    assert.deepEqual(request.resource, { group: 'scale.example.dev', version: 'v1', resource: 'scalers' })
    assert.deepEqual([request.subResource, request.name, request.operation], ['scale', 's', 'UPDATE'])
    assert.equal(request.oldObject.spec.replicas, 1)
  }
  assert.equal(first?.request.object.spec.replicas, 9)
  assert.equal(second?.request.object.spec.replicas, 5)
  assert.equal((await send('GET', `${path}/s`)).body.spec.replicas, 5)
})

test('admission: a token of a service account may be refused', async () => {
  const says: Say = ({ subResource, kind }) => ({
    allowed: !(subResource === 'token' && kind.kind === 'TokenRequest'),
  })
  const started = await startAdmissionServer('token', { v: says })
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await started.send('POST', accounts, { metadata: { name: 'a' } })
  await configure(started, 'Validating', ['v'])
  const { status, body } = await started.send('POST', `${accounts}/a/token`, {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  })
  assert.equal(status, 400)
  assert.match(body.message, /^admission webhook "v\.example\.com" denied the request/)
})

test('admission: what was admitted is what is stored, even if another client was faster', async () => {
  const changes: string[] = []
  let started: Started | undefined
  let isFirst = true
  const says: Say = async ({ operation, oldObject, object }) => {
    if (operation !== 'UPDATE' || object.data.mine === undefined) return {}
    changes.push(`${oldObject.data.k} to ${object.data.mine}`)
    // While the webhook thinks, another client writes.
    if (isFirst) {
      isFirst = false
      if (started) await call(started.server.handle, 'PATCH', `${maps}/a`, { data: { k: 'theirs' } }, merge)
    }
    return {}
  }
  started = await startAdmissionServer('race', { v: says })
  await started.send('POST', maps, configMap('a', { k: 'first' }))
  await configure(started, 'Validating', ['v'])
  const { status, body } = await started.send('PATCH', `${maps}/a`, { data: { mine: 'x' } }, merge)
  assert.equal(status, 200)
  assert.deepEqual(body.data, { k: 'theirs', mine: 'x' })
  assert.deepEqual(changes, ['first to x', 'theirs to x'])
})

test('admission: who was asked, what they changed and what they add is in the audit log and in the metrics', async () => {
  const lines: string[] = []
  const rule = { users: [], userGroups: [], verbs: [], resources: [], namespaces: [], nonResourceURLs: [] }
  const audit = {
    policy: {
      rules: [{ ...rule, level: 'Request', omitStages: ['RequestReceived'], omitManagedFields: false }],
    },
    sink: { write: (line: string) => void lines.push(line), written: 0, dropped: 0 },
  } as const
  const says: Readonly<Record<string, Say>> = {
    m: (request) => ({ ...label(request, 'a', 'b'), auditAnnotations: { 'said-by': 'm' } }),
    n: () => ({ uid: 'another' }),
    v: () => ({ uid: 'another' }),
  }
  const started = await startAdmissionServer('audit', says, { audit })
  const ignored = { failurePolicy: 'Ignore' }
  await configure(started, 'Mutating', ['m'], ['n', ignored])
  await configure(started, 'Validating', ['v', ignored])
  lines.length = 0
  assert.equal((await started.send('POST', maps, configMap('a'))).status, 201)
  const { annotations } = JSON.parse(lines[0] ?? '{}')
  const patch = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]
  const of = (webhook: string) => ({ configuration: 'c', webhook: `${webhook}.example.com` })
  const { 'authorization.k8s.io/decision': _, 'authorization.k8s.io/reason': __, ...found } = annotations
  assert.deepEqual(found, {
    'm.example.com/said-by': 'm',
    'patch.webhook.admission.k8s.io/round_0_index_0': JSON.stringify({
      ...of('m'),
      patch,
      patchType: 'JSONPatch',
    }),
    'mutation.webhook.admission.k8s.io/round_0_index_0': JSON.stringify({ ...of('m'), mutated: true }),
    'mutation.webhook.admission.k8s.io/round_0_index_1': JSON.stringify({ ...of('n'), mutated: false }),
    'failed-open.mutation.webhook.admission.k8s.io/round_0_index_1': 'n.example.com',
    'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'v.example.com',
  })
  const { body } = await started.send('GET', '/metrics')
  const metric = (name: string, labels: string, value: number): void =>
    assert.ok(
      String(body).includes(`apiserver_admission_webhook_${name}{${labels}} ${value}\n`),
      `${name} ${String(body)
        .split('\n')
        .filter((line) => line.includes(name))
        .join('\n')}`,
    )
  metric('fail_open_count', 'name="n.example.com",type="admit"', 1)
  metric('fail_open_count', 'name="v.example.com",type="validating"', 1)
  metric(
    'request_total',
    'code="200",name="m.example.com",operation="CREATE",type="admit",rejected="false"',
    1,
  )
})

test('admission: custom resources are pruned and defaulted after webhooks, and then validated', async () => {
  const says: Say = ({ kind }) =>
    kind.kind === 'Thing'
      ? patchOf(
          { op: 'add', path: '/spec/unknown', value: 1 },
          { op: 'remove', path: '/spec/colour' },
          { op: 'add', path: '/spec/size', value: 7 },
        )
      : {}
  const started = await startAdmissionServer('custom', { m: says, v: yes })
  const { send, asked, simulation } = started
  const properties = {
    colour: { type: 'string', default: 'red' },
    size: { type: 'integer', maximum: 8 },
  }
  const schema = { type: 'object', properties: { spec: { type: 'object', default: {}, properties } } }
  const { status: defined, body: definition } = await send(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'things.shop.example.com' },
      spec: {
        ...{ group: 'shop.example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
        versions: ['v1', 'v2'].map((name) => ({
          ...{ name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: schema } },
        })),
      },
    },
  )
  assert.equal(defined, 201, JSON.stringify(definition))
  await simulation.settle(
    new Promise((resolve) => simulation.process('b').clock.after(5_000, () => resolve(true))),
  )
  const rules = [
    { operations: ['*'], apiGroups: ['shop.example.com'], apiVersions: ['v2'], resources: ['*'] },
  ]
  await configure(started, 'Mutating', ['m', { rules }])
  await configure(started, 'Validating', ['v', { rules }])
  const thing = {
    apiVersion: 'shop.example.com/v1',
    kind: 'Thing',
    metadata: { name: 't' },
    spec: { size: 9 },
  }
  const { status, body } = await send('POST', '/apis/shop.example.com/v1/namespaces/default/things', thing)
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body.spec, { colour: 'red', size: 7 })
  assert.deepEqual(
    asked().map(({ request }) => [request.kind.version, request.object.apiVersion, request.object.spec]),
    [
      ['v2', 'shop.example.com/v2', { colour: 'red', size: 9 }],
      ['v2', 'shop.example.com/v2', { colour: 'red', size: 7 }],
    ],
  )
})
