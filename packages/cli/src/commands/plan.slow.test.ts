import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, type Answers, discovery, FakeCluster, ok } from './fake-cluster-for-test.ts'

const name = 'lamps.light.example.dev'
const plain = discovery([
  { group: 'light.example.dev', version: 'v2', resources: [{ name: 'lamps', kind: 'Lamp' }] },
])
const refused = (code: number, reason: string, message: string): Answer => ({
  ...{ code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message } },
})

/** Answers to patches of some lamps; all others are fine. */
const bad: Readonly<Record<string, Answer>> = {
  schema: refused(422, 'Invalid', 'Lamp "schema" is invalid: spec.watts: Required value'),
  immutable: refused(422, 'Invalid', 'Lamp "immutable" is invalid: spec.socket: field is immutable'),
  denied: refused(403, 'Forbidden', 'admission webhook "guard" denied the request: no'),
  'webhook-down': refused(
    500,
    'InternalError',
    'Internal error occurred: failed calling webhook "guard": EOF',
  ),
  terminating: {
    code: 403,
    body: {
      ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' },
      message: 'the namespace is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', message: 'namespace n is being terminated' }] },
    },
  },
  undecodable: refused(500, 'InternalError', 'Internal error occurred: the stored object cannot be decoded'),
  conversion: refused(
    500,
    'InternalError',
    'conversion webhook for light.example.dev/v1, Kind=Lamp failed: EOF',
  ),
}
const asksNoWebhook = refused(400, 'BadRequest', 'admission webhook "audit" does not support dry run')

function clusterOf(names: readonly string[], answers: Readonly<Record<string, Answer>>): Answers {
  return (method, path, body) => {
    if (path.endsWith('/selfsubjectaccessreviews')) return ok({ metadata: {}, status: { allowed: true } })
    if (path.endsWith(`/customresourcedefinitions/${name}`)) {
      return ok({
        metadata: { name, uid: 'u', generation: 2 },
        spec: {
          group: 'light.example.dev',
          names: { plural: 'lamps', kind: 'Lamp' },
          versions: [{ name: 'v2', storage: true, served: true }],
        },
        status: { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1', 'v2'] },
      })
    }
    const objectOf = (each: string) => ({ metadata: { name: each, resourceVersion: '1' } })
    if (path.endsWith('/lamps')) return ok({ metadata: {}, items: names.map(objectOf) })
    const [, one = '', subresource] = /\/lamps\/([\w-]+)(\/status)?$/.exec(path) ?? []
    if (subresource !== undefined) return undefined
    if (one !== '') return (method === 'PATCH' ? answers[one] : undefined) ?? ok(objectOf(one))
    return plain(method, path, body)
  }
}

test('plan: each refused object is in its class, and all others are counted', async (t) => {
  const cluster = await FakeCluster.start(t, clusterOf(['fine', ...Object.keys(bad)], bad))
  const { code, said } = await cluster.run(['plan', name, '-o', 'json'])
  assert.equal(code, 1, said)
  const [planned] = JSON.parse(said).resources
  const classes = planned.refused.map((each: { class: string; count: number }) => [each.class, each.count])
  assert.deepEqual(Object.fromEntries(classes), {
    schema: 1,
    'immutable field': 1,
    'denied by admission': 1,
    conversion: 1,
    'webhook down': 1,
    'terminating namespace': 1,
    undecodable: 1,
  })
  assert.equal(planned.total, 8)
  assert.ok(planned.etaSeconds >= 70, 'the wait is part of it')
})

test('plan: a webhook that cannot be asked makes its objects unknown, also if it is asked about all', async (t) => {
  const names = Array.from({ length: 80 }, (_, index) => `lamp-${index}`)
  const answers = Object.fromEntries(names.map((each) => [each, asksNoWebhook]))
  const cluster = await FakeCluster.start(t, clusterOf(names, answers))
  const { code, said } = await cluster.run(['plan', name])
  assert.equal(code, 6, said)
  assert.match(said, /of 80 objects a dry run cannot tell whether it would be refused/)
  assert.match(said, /^ {2}no dry run: 80; these webhooks have side effects/m)
})
