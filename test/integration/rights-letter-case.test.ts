import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

const rbac = 'rbac.authorization.k8s.io'
const as = (name: string) => ({ 'impersonate-user': name })
const secrets = '/api/v1/namespaces/default/secrets'
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const metadata = { name: 'hidden' }

/** Each user has one rule, in all namespaces. */
const rules = {
  // Rights to paths that are not served: if names were compared case-insensitively, they would be rights to everything.
  shouter: {
    verbs: ['*'],
    apiGroups: ['', 'Coordination.k8s.io'],
    resources: ['Secrets', 'SECRETS', 'Leases', 'Namespaces', 'leases'],
  },
  other: { verbs: ['*'], apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps'] },
  // A user with rights to this one object, by its name.
  named: {
    verbs: ['GET', 'get'],
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['Hidden', 'HIDDEN'],
  },
  everyVerb: { verbs: ['GET', 'LIST', 'DELETE'], apiGroups: ['*'], resources: ['*'] },
  pather: { verbs: ['*'], nonResourceURLs: ['/Metrics', '/METRICS', '/API*', '/Apis/*'] },
} as const

async function start(seed: string) {
  const running = await startServer(seed, { bootstrapPolicy: true })
  const { send } = running
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { word: 'mellon' } }
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: { holderIdentity: 'mellon' },
  }
  assert.equal((await send('POST', secrets, secret)).status, 201)
  assert.equal((await send('POST', leases, lease)).status, 201)
  for (const [user, rule] of Object.entries(rules)) {
    const name = `of-${user.toLowerCase()}`
    const role = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules: [rule] }
    const binding = {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name: user }],
    }
    assert.equal((await send('POST', `/apis/${rbac}/v1/clusterroles`, role)).status, 201)
    assert.equal((await send('POST', `/apis/${rbac}/v1/clusterrolebindings`, binding)).status, 201)
  }
  await send('GET', `/apis/${rbac}/v1/clusterrolebindings`)
  return running
}

/** Every part of a path in other letters, one at a time, and with them escaped. */
const odd = [
  '/API/v1/namespaces/default/secrets/hidden',
  '/Api/v1/namespaces/default/secrets/hidden',
  '/api/V1/namespaces/default/secrets/hidden',
  '/api/v1/Namespaces/default/secrets/hidden',
  '/api/v1/NAMESPACES/default/secrets/hidden',
  '/api/v1/namespaces/Default/secrets/hidden',
  '/api/v1/namespaces/default/Secrets/hidden',
  '/api/v1/namespaces/default/SECRETS/hidden',
  '/api/v1/namespaces/default/%53ecrets/hidden',
  '/api/v1/namespaces/default/secrets/Hidden',
  '/api/v1/namespaces/default/secrets/HIDDEN',
  '/api/v1/Secrets',
  '/api/v1/Watch/namespaces/default/secrets/hidden',
  '/api/v1/WATCH/secrets',
  '/APIS/coordination.k8s.io/v1/namespaces/default/leases/hidden',
  '/apis/Coordination.k8s.io/v1/namespaces/default/leases/hidden',
  '/apis/COORDINATION.K8S.IO/v1/namespaces/default/leases/hidden',
  '/apis/coordination.k8s.io/V1/namespaces/default/leases/hidden',
  '/apis/coordination.k8s.io/v1/namespaces/default/Leases/hidden',
  '/Metrics',
  '/METRICS',
  '/OpenAPI/v3',
  '/openapi/V3',
]

const spilled = /mellon|bWVsbG9u|apiserver_request|"paths"/

test('rights: a path in other letters is not found, also for a user with all rights', async () => {
  const { send } = await start('letters')
  for (const path of odd) {
    for (const method of ['GET', 'DELETE', 'PATCH', 'PUT', 'POST']) {
      const { status, body } = await send(method, path, method === 'GET' ? undefined : {})
      assert.ok([400, 404, 405, 415].includes(status), `${method} ${path}: ${status}`)
      assert.doesNotMatch(JSON.stringify(body), spilled, `${method} ${path}`)
    }
  }
  assert.equal((await send('GET', `${secrets}/hidden`)).body.data.word, 'bWVsbG9u')
  assert.equal((await send('GET', `${leases}/hidden`)).body.spec.holderIdentity, 'mellon')
})

for (const user of Object.keys(rules)) {
  test(`rights: names count letter by letter, in rules and in paths: ${user}`, async () => {
    const { send } = await start(`letters of ${user}`)
    for (const path of odd) {
      for (const method of ['GET', 'DELETE', 'POST']) {
        const { status, body } = await send(method, path, method === 'POST' ? {} : undefined, as(user))
        assert.ok([400, 403, 404, 405, 415].includes(status), `${method} ${path}: ${status}`)
        assert.doesNotMatch(JSON.stringify(body), spilled, `${method} ${path}`)
      }
    }
    // And the right path stays shut to rights that are written in other letters.
    for (const path of [`${secrets}/hidden`, `${leases}/hidden`, secrets, '/metrics']) {
      for (const method of ['GET', 'DELETE']) {
        const { status } = await send(method, path, undefined, as(user))
        assert.equal(status, 403, `${method} ${path}`)
      }
    }
    assert.equal((await send('GET', `${secrets}/hidden`)).status, 200)
    assert.equal((await send('GET', `${leases}/hidden`)).status, 200)
  })
}
