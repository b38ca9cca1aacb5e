import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPair } from '../support/aggregated-pair.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { openWatch } from '../support/open-watch.ts'

const root = '/apis/lighthouse.example.dev/v1'
const record = 'lighthouse.example.dev.beacons'
const reviews = 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews'
const tokenReviews = 'POST /apis/authentication.k8s.io/v1/tokenreviews'
const users = new Map([
  ['eve', { name: 'eve', groups: [] }],
  ['reader', { name: 'reader', groups: ['readers'] }],
])
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const ofReaders = {
  role: {
    ...{
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'read-beacons' },
    },
    rules: [
      {
        apiGroups: ['lighthouse.example.dev'],
        resources: ['beacons', 'storageagreements'],
        verbs: ['get', 'list'],
      },
    ],
  },
  binding: {
    ...{
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'read-beacons' },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'read-beacons' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
  },
}

async function startWithReaders(seed: string) {
  const pair = await startPair(seed, { front: { users } })
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  assert.equal((await pair.send('POST', `${rbac}/clusterroles`, ofReaders.role)).status, 201)
  assert.equal((await pair.send('POST', `${rbac}/clusterrolebindings`, ofReaders.binding)).status, 201)
  pair.asked.length = 0
  return pair
}

test('aggregated server: its kind is written, read and watched through the aggregator', async () => {
  const { send, sendBehind, simulation, aggregator, pass } = await startPair('aggregated round trip')
  const created = await send('POST', beaconPath('v1'), beacon('v1', 'a', 5))
  assert.deepEqual([created.status, created.body.spec?.everySeconds], [201, 5], JSON.stringify(created.body))
  const target = `${beaconPath('v2')}?watch=true`
  const watch = await simulation.settle(openWatch(aggregator, target))
  const apply = await send('PATCH', `${beaconPath('v2', 'b')}?fieldManager=me`, beacon('v2', 'b', 7), {
    'content-type': 'application/apply-patch+yaml',
  })
  assert.equal(apply.status, 201, JSON.stringify(apply.body))
  const patch = { 'content-type': 'application/merge-patch+json' }
  const patched = await send('PATCH', beaconPath('v2', 'b'), { spec: { periodMs: 9000 } }, patch)
  assert.equal(patched.body.spec.periodMs, 9000)
  assert.equal((await send('DELETE', beaconPath('v1', 'a'))).status, 200)
  await pass(1_000)
  assert.deepEqual(
    watch.events.map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED a'],
  )
  watch.cut()
  // The objects are in its own store, under its own record.
  assert.equal((await send('GET', `${root}/storageagreements/${record}`)).status, 200)
  assert.equal((await send('GET', agreementPath)).status, 404)
  assert.equal((await sendBehind('GET', agreementPath)).status, 200)
})

test('aggregated server: the aggregator decides what a user may do, for both servers', async () => {
  const { send, sendBehind, asked } = await startWithReaders('aggregated rights')
  assert.equal((await send('GET', beaconPath('v1'), undefined, as('reader'))).status, 200)
  assert.deepEqual(asked, [reviews], 'the user came with the request')
  assert.equal((await send('GET', beaconPath('v1'), undefined, as('reader'))).status, 200)
  assert.deepEqual(asked, [reviews], 'the answer is kept for a while')
  assert.equal(
    (await send('GET', `${root}/storageagreements/${record}`, undefined, as('reader'))).status,
    200,
  )
  assert.equal((await send('POST', beaconPath('v1'), beacon('v1', 'a', 5), as('reader'))).status, 403)
  assert.equal((await send('GET', beaconPath('v1'), undefined, as('eve'))).status, 403)
  asked.length = 0
  // Around the aggregator, with the same tokens.
  assert.equal((await sendBehind('GET', beaconPath('v1'), undefined, as('reader'))).status, 200)
  assert.equal(asked[0], tokenReviews)
  const refused = await sendBehind('POST', beaconPath('v1'), beacon('v1', 'a', 5), as('reader'))
  assert.deepEqual([refused.status, refused.body.reason], [403, 'Forbidden'])
  assert.equal((await sendBehind('GET', beaconPath('v1'), undefined, as('eve'))).status, 403)
  assert.equal((await sendBehind('GET', beaconPath('v1'), undefined, as('nobody'))).status, 401)
  // A census needs the right to list the resource, which the reader has; and the right to create a census, which it has not.
  const census = {
    ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageCensus' },
    spec: { group: 'lighthouse.example.dev', resource: 'beacons' },
  }
  assert.equal((await send('POST', `${root}/storagecensuses`, census, as('reader'))).status, 403)
  assert.equal((await send('POST', `${root}/storagecensuses`, census)).status, 201)
})

test('aggregated server: headers of a user count only over the proxy certificate', async () => {
  const { aggregated, simulation, send } = await startPair('aggregated headers')
  const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' }
  const ask = async (peer: object | undefined) => {
    const signal = new AbortController().signal
    const request = { method: 'GET', target: beaconPath('v1'), headers, signal, ...(peer ? { peer } : {}) }
    return (await simulation.settle(aggregated.handle(request))).status
  }
  const peer = { anchor: 'request-header', commonName: 'front-proxy-client', organizations: [] }
  assert.equal(await ask(peer), 200)
  assert.equal(await ask({ ...peer, commonName: 'other' }), 401)
  assert.equal(await ask({ ...peer, anchor: 'none' }), 401)
  assert.equal(await ask({ ...peer, anchor: 'client' }), 403)
  assert.equal(await ask(undefined), 403, 'anonymous')
  assert.equal((await send('GET', beaconPath('v1'), undefined, headers)).status, 200)
})

test('aggregated server: namespaces are those of the aggregator', async () => {
  const { send, asked } = await startPair('aggregated namespaces')
  const beacons = '/apis/lighthouse.example.dev/v1/namespaces/harbour/beacons'
  const absent = await send('POST', beacons, beacon('v1', 'a', 5))
  assert.deepEqual([absent.status, absent.body.message], [404, 'namespaces "harbour" not found'])
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'harbour' } }
  assert.equal((await send('POST', '/api/v1/namespaces', namespace)).status, 201)
  assert.equal((await send('POST', beacons, beacon('v1', 'a', 5))).status, 201)
  asked.length = 0
  assert.equal((await send('POST', beacons, beacon('v1', 'b', 5))).status, 201)
  assert.deepEqual(asked, [], 'an active namespace is remembered')
})

test('aggregated server: a namespace that is being deleted takes no new objects', async () => {
  const { send } = await startPair('aggregated ending namespaces')
  const metadata = { name: 'harbour', finalizers: ['example.dev/keep'] }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata }
  assert.equal((await send('POST', '/api/v1/namespaces', namespace)).status, 201)
  assert.equal((await send('DELETE', '/api/v1/namespaces/harbour')).status, 200)
  const beacons = '/apis/lighthouse.example.dev/v1/namespaces/harbour/beacons'
  const { status, body } = await send('POST', beacons, beacon('v1', 'a', 5))
  assert.deepEqual([status, body.details.causes[0].reason], [403, 'NamespaceTerminating'])
})

test('aggregated server: without the aggregator nothing is allowed, and reads of superusers go on', async () => {
  const pair = await startWithReaders('aggregated alone')
  const { sendBehind, pass } = pair
  const asReader = { anchor: 'request-header', commonName: 'front-proxy-client', organizations: [] }
  const ask = async (user: string, group: string) => {
    const headers = { 'x-remote-user': user, 'x-remote-group': group }
    const signal = new AbortController().signal
    const request = { method: 'GET', target: beaconPath('v1'), headers, signal, peer: asReader }
    return (await pair.simulation.settle(pair.aggregated.handle(request))).status
  }
  assert.equal(await ask('reader', 'readers'), 200)
  pair.cut = true
  assert.equal(await ask('reader', 'readers'), 200, 'kept for ten seconds')
  await pass(11_000)
  assert.equal(await ask('reader', 'readers'), 500)
  assert.equal(await ask('root', 'system:masters'), 200)
  assert.equal((await sendBehind('GET', beaconPath('v1'), undefined, as('reader'))).status, 401)
  assert.equal((await sendBehind('GET', '/readyz', undefined, { authorization: '' })).status, 200)
  pair.cut = false
  assert.equal(await ask('reader', 'readers'), 200)
})

test('aggregated server: it serves its kinds and what agreement needs, and nothing of the aggregator', async () => {
  const { sendBehind } = await startPair('aggregated kinds')
  const get = async (path: string) => (await sendBehind('GET', path)).body
  const { groups } = await get('/apis')
  assert.deepEqual(groups.map((each: { name: string }) => each.name).sort(), [
    ...['coordination.k8s.io', 'internal.apiserver.k8s.io', 'kube-apiserver.internal.k8s.io'],
    ...['lighthouse.example.dev', 'strata.dev'],
  ])
  const { items } = await get('/api/v1/namespaces')
  assert.deepEqual(
    items.map((each: { metadata: { name: string } }) => each.metadata.name),
    ['kube-system'],
  )
  assert.match(await get('/readyz?verbose'), /\[\+\]delegated-authentication ok/)
})
