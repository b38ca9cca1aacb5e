import assert from 'node:assert/strict'
import { access } from 'node:fs/promises'
import { request } from 'node:https'
import { test } from 'node:test'
import { type ConfigMap, configMaps, type Namespace, namespaces } from '@strata/api'
import { isForbidden, isNotFound } from '@strata/client'
import type { Cluster } from './cluster.ts'
import { startCluster } from './start-cluster.ts'

const never = new AbortController().signal
const lampCrd = new URL('../../../examples/lamps/crd-v1.yaml', import.meta.url).pathname
const lamp = (name: string): string =>
  `apiVersion: light.example.dev/v1\nkind: Lamp\nmetadata: {name: ${name}}\nspec: {colour: red}\n`
const map = (name: string, value = 'v'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {k: ${value}}\n`

const statusOf = async (cluster: Cluster, path: string): Promise<number> => {
  const { status, body } = await cluster.fetch(path)
  await body?.cancel()
  return status
}
const lamps = '/apis/light.example.dev/v1/namespaces/default/lamps'

test('a cluster serves typed clients and fetch, without a socket', async () => {
  await using cluster = await startCluster({ controllers: false })
  const maps = cluster.client.resource<ConfigMap>(configMaps, 'v1')
  await maps.create({ metadata: { name: 'a', namespace: 'default' }, data: { k: 'v' } }, never)
  const answer = await cluster.fetch('/api/v1/namespaces/default/configmaps/a')
  assert.equal(answer.status, 200)
  assert.deepEqual(((await answer.json()) as ConfigMap).data, { k: 'v' })
  assert.equal(cluster.endpoint, undefined)
})

test('clusters share nothing', async () => {
  await using one = await startCluster({ controllers: false })
  await using other = await startCluster({ controllers: false })
  await one.apply(map('mine'))
  assert.equal(await statusOf(other, '/api/v1/namespaces/default/configmaps/mine'), 404)
})

test('reset takes back creations, changes, deletions and CRDs; what the options gave stays', async () => {
  await using cluster = await startCluster({ controllers: false, crds: lampCrd })
  const other = (
    await (
      await cluster.fetch('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.light.example.dev')
    ).text()
  ).replaceAll('light.example.dev', 'other.example.dev')
  const { metadata: _, status: __, ...rest } = JSON.parse(other)
  await cluster.apply(JSON.stringify({ ...rest, metadata: { name: 'lamps.other.example.dev' } }))
  await cluster.apply(`${map('a')}---\n${lamp('l')}---\n${lamp('o').replace('light', 'other')}`)
  await cluster.fetch('/apis/rbac.authorization.k8s.io/v1/clusterroles/view', { method: 'DELETE' })
  await cluster.reset()
  const states = await Promise.all(
    [
      '/api/v1/namespaces/default/configmaps/a',
      `${lamps}/l`,
      lamps,
      lamps.replace('light', 'other'),
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.other.example.dev',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/view',
      '/readyz',
    ].map((path) => statusOf(cluster, path)),
  )
  assert.deepEqual(states, [404, 404, 200, 404, 404, 200, 200])
  // The same objects can be created again.
  await cluster.apply(JSON.stringify({ ...rest, metadata: { name: 'lamps.other.example.dev' } }))
  await cluster.apply(`${lamp('l')}---\n${lamp('o').replace('light', 'other')}`)
  assert.equal(await statusOf(cluster, `${lamps.replace('light', 'other')}/o`), 200)
})

test('a watch hears what reset removes', async () => {
  await using cluster = await startCluster({ controllers: false, crds: lampCrd })
  await cluster.apply(lamp('l'))
  const ended = new AbortController()
  const address = { group: 'light.example.dev', versionName: 'v1', resource: 'lamps' }
  const types: string[] = []
  for await (const { type } of cluster.client
    .resource(address)
    .watch({ namespace: 'default' }, ended.signal)) {
    types.push(type)
    if (type === 'ADDED') await cluster.reset()
    else break
  }
  ended.abort()
  assert.deepEqual(types, ['ADDED', 'DELETED'])
})

test('the time is in the hands of the test', async () => {
  await using cluster = await startCluster({ time: { startAt: '2030-01-01T00:00:00Z', frozen: true } })
  await cluster.apply('apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n')
  const all = cluster.client.resource<Namespace>(namespaces, 'v1')
  const { metadata } = await all.get({ name: 'a' }, never)
  assert.equal(metadata.creationTimestamp, '2030-01-01T00:00:00Z')
  await all.delete({ name: 'a' }, {}, never)
  await cluster.time.advance(30_000)
  await assert.rejects(all.get({ name: 'a' }, never), isNotFound)
  assert.equal(cluster.time.now().toISOString(), '2030-01-01T00:00:30.000Z')
})

test('the server keeps its Lease while time is advanced', async () => {
  await using cluster = await startCluster({ controllers: false, time: { frozen: true } })
  await cluster.time.advance(10 * 60_000)
  await cluster.apply(map('after'))
  assert.equal(await statusOf(cluster, '/readyz'), 200)
})

test('another user has the rights that RBAC gives', async () => {
  await using cluster = await startCluster({ controllers: false })
  const eve = cluster.as({ name: 'eve', groups: ['readers'] })
  const maps = eve.client.resource<ConfigMap>(configMaps, 'v1')
  await assert.rejects(maps.list({ namespace: 'default' }, never), isForbidden)
  await cluster.apply(
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: readers}\n' +
      'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\n' +
      'subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: readers}]\n',
  )
  await cluster.apply(
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: view}\n' +
      'rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]\n',
  )
  assert.deepEqual((await maps.list({ namespace: 'default' }, never)).items, [])
})

test('a Kubernetes release is shown in the version and in what is served', async () => {
  await using cluster = await startCluster({ controllers: false, kubernetesVersion: '1.30' })
  const version = (await (await cluster.fetch('/version')).json()) as { minor: string; gitVersion: string }
  assert.deepEqual([version.minor, version.gitVersion], ['30', 'v1.30.14+strata'])
  assert.equal(
    await statusOf(cluster, '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'),
    200,
  )
  await using older = await startCluster({ controllers: false, kubernetesVersion: '1.29' })
  assert.equal(
    await statusOf(older, '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'),
    404,
  )
})

test('mistakes in the options name the option', async () => {
  await assert.rejects(startCluster({ kubernetesVersion: '3.0' }), /kubernetesVersion "3\.0" is not known/)
  await assert.rejects(startCluster({ time: { startAt: 'soon' } }), /time\.startAt "soon" is not a date/)
  await assert.rejects(startCluster({ controllers: ['gardener'] }), /unknown controller gardener/)
  const mistyped: object = { crd: 'x' }
  await assert.rejects(startCluster(mistyped), /startCluster has no option crd; it has crds, resources, /)
})

test('with a socket, a kubeconfig leads to the cluster until it stops, whatever its time', async () => {
  const time = { startAt: '2100-01-01T00:00:00Z' }
  await using cluster = await startCluster({ controllers: false, listen: true, time })
  const { endpoint } = cluster
  assert.ok(endpoint)
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { authorization: `Bearer ${endpoint.token}` }
  request(`${endpoint.url}/api/v1/namespaces/default`, { ca: endpoint.ca, headers }, (answer) => {
    answer.resume()
    resolve(answer.statusCode)
  })
    .on('error', reject)
    .end()
  assert.equal(await promise, 200)
  await cluster.stop()
  await assert.rejects(access(endpoint.kubeconfig))
})

test('a cluster stops at once, however soon after its start: no watch of its controllers goes on', async () => {
  for (let requests = 0; requests < 4; requests++) {
    const cluster = await startCluster()
    const namespace = cluster.client.resource<Namespace>(namespaces, 'v1')
    for (let sent = 0; sent < requests; sent++) await namespace.get({ name: 'default' }, never)
    const stopsMs = cluster.time.now().getTime()
    await cluster.stop()
    // A watch that is not stopped ends with its first bookmark, after a minute.
    assert.ok(cluster.time.now().getTime() - stopsMs < 40_000, `after ${requests} requests`)
  }
})
