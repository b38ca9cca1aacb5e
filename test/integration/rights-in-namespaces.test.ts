import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineResource, identityVersion, objectSchema, type ResourceDefinition } from '@strata/api'
import { startServer } from '../support/one-server.ts'

const rbac = 'rbac.authorization.k8s.io'
const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }
const eve = { 'impersonate-user': 'eve' }
const namespace = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...more },
})

/** A server with two namespaces; eve may do everything in the first. */
async function start(seed: string, resources: readonly ResourceDefinition[] = []) {
  const running = await startServer(seed, { resources })
  const { send } = running
  for (const name of ['mine', 'other']) {
    assert.equal((await send('POST', '/api/v1/namespaces', namespace(name))).status, 201)
  }
  const within = `/apis/${rbac}/v1/namespaces/mine`
  const metadata = { name: 'all' }
  const role = { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: [everything] }
  assert.equal((await send('POST', `${within}/roles`, role)).status, 201)
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'all' },
    subjects: [{ kind: 'User', name: 'eve' }],
  }
  assert.equal((await send('POST', `${within}/rolebindings`, binding)).status, 201)
  await send('GET', `${within}/rolebindings`)
  return running
}

test('rights: those of one namespace are not rights to other namespaces, whatever the path looks like', async () => {
  const { send } = await start('within')
  const within = '/api/v1/namespaces/mine/namespaces'
  const watch = '/api/v1/watch/namespaces/mine/namespaces'
  const merge = { ...eve, 'content-type': 'application/merge-patch+json' }
  const apply = { ...eve, 'content-type': 'application/apply-patch+yaml' }
  const labelled = namespace('other', { labels: { by: 'eve' } })
  const attempts: readonly Parameters<typeof send>[] = [
    ['GET', within, undefined, eve],
    ['GET', `${within}?watch=1&timeoutSeconds=1`, undefined, eve],
    ['GET', `${within}?fieldSelector=metadata.name%3Dother`, undefined, eve],
    ['GET', `${watch}?timeoutSeconds=1`, undefined, eve],
    ['GET', `${watch}/other?timeoutSeconds=1`, undefined, eve],
    ['POST', within, namespace('third'), eve],
    ['POST', `${within}?dryRun=All`, namespace('third'), eve],
    ['DELETE', within, undefined, eve],
    ['GET', `${within}/other`, undefined, eve],
    ['HEAD', `${within}/other`, undefined, eve],
    ['PUT', `${within}/other`, labelled, eve],
    ['PATCH', `${within}/other`, { metadata: labelled.metadata }, merge],
    ['PATCH', `${within}/other?fieldManager=m`, labelled, apply],
    ['DELETE', `${within}/other`, undefined, eve],
    ['PUT', `${within}/other/finalize`, { ...labelled, spec: { finalizers: [] } }, eve],
    ['GET', `${within}/other/status`, undefined, eve],
    ['PUT', `${within}/other/status`, { ...labelled, status: { phase: 'Terminating' } }, eve],
    ['PATCH', `${within}/other/status`, { status: { phase: 'Terminating' } }, merge],
  ]
  const path = '/api/v1/namespaces/other'
  const before = (await send('GET', path)).body
  for (const attempt of attempts) {
    const [method, target] = attempt
    const { status, body } = await send(...attempt)
    assert.equal(status, 404, `${method} ${target}`)
    assert.doesNotMatch(JSON.stringify(body), /"other"/, `${method} ${target}`)
    // Not even those who may do everything find something there.
    const [, , sent, headers] = attempt
    const asAdmin = { ...headers, 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' }
    assert.equal((await send(method, target, sent, asAdmin)).status, 404, `${method} ${target}`)
  }
  assert.deepEqual((await send('GET', path)).body, before)
  assert.equal((await send('GET', '/api/v1/namespaces/third')).status, 404)
})

test('rights: those of one namespace are rights to that namespace', async () => {
  const { send } = await start('itself')
  const path = '/api/v1/namespaces/mine'
  const merge = { ...eve, 'content-type': 'application/merge-patch+json' }
  assert.equal((await send('GET', path, undefined, eve)).status, 200)
  assert.equal((await send('GET', `${path}/status`, undefined, eve)).status, 200)
  assert.equal((await send('PATCH', path, { metadata: { labels: { a: 'b' } } }, merge)).status, 200)
  const finalizers = { ...namespace('mine'), spec: { finalizers: ['kubernetes'] } }
  assert.equal((await send('PUT', `${path}/finalize`, finalizers, eve)).status, 200)
  assert.equal((await send('DELETE', path, undefined, eve)).status, 200)
  for (const elsewhere of [
    '/api/v1/namespaces',
    '/api/v1/namespaces/other',
    '/api/v1/watch/namespaces/other',
  ]) {
    assert.equal((await send('GET', elsewhere, undefined, eve)).status, 403, elsewhere)
  }
})

test('rights: kinds of the same name in other groups are ordinary ones', async () => {
  const of = (kind: string, plural: string) =>
    defineResource({
      group: 'x.dev',
      kind,
      plural,
      scope: 'Cluster',
      versions: { v1: identityVersion(objectSchema({ spec: { type: 'object' } })) },
      preferredStorageVersion: 'v1',
      storagePrefix: `x.dev/${plural}`,
      strategy: { allowUnconditionalUpdate: true },
    })
  const { send } = await start('of-the-same-name', [
    of('Namespace', 'spaces'),
    of('StorageAgreement', 'agreements'),
  ])
  const object = (kind: string) => ({ apiVersion: 'x.dev/v1', kind, metadata: { name: 'default' }, spec: {} })
  const spaces = '/apis/x.dev/v1/spaces'
  assert.equal((await send('POST', spaces, object('Namespace'))).status, 201)
  const below = '/apis/x.dev/v1/namespaces/mine/spaces'
  for (const path of [below, `${below}/default`, `${spaces}/default/finalize`]) {
    assert.equal((await send('GET', path)).status, 404, path)
  }
  assert.equal((await send('GET', `${below}/default`, undefined, eve)).status, 404)
  const listed = (await send('GET', '/apis/x.dev/v1')).body.resources
  assert.deepEqual(
    listed.map(({ name }: { name: string }) => name),
    ['agreements', 'spaces'],
  )
  assert.equal((await send('DELETE', `${spaces}/default`)).status, 200, 'not one that must stay')
  const agreements = '/apis/x.dev/v1/agreements'
  assert.equal((await send('POST', agreements, object('StorageAgreement'))).status, 201)
  const changed = { ...object('StorageAgreement'), metadata: { name: 'default', labels: { a: 'b' } } }
  const put = await send('PUT', `${agreements}/default`, changed)
  assert.deepEqual([put.status, put.body.metadata.labels], [200, { a: 'b' }])
})
