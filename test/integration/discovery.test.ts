import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

test('discovery: groups in upstream order, resources by name, their parts behind them', async () => {
  const { send } = await startServer('discovery')
  const groups = (await send('GET', '/apis')).body.groups.map((each: { name: string }) => each.name)
  const own = ['coordination.k8s.io', 'internal.apiserver.k8s.io', 'lighthouse.example.dev', 'strata.dev']
  assert.deepEqual(
    groups.filter((name: string) => own.includes(name)),
    own,
  )
  const core = (await send('GET', '/api/v1')).body.resources
  const names = core.map((each: { name: string }) => each.name)
  assert.deepEqual(names, [...names].sort())
  const found = (name: string) => core.find((each: { name: string }) => each.name === name)
  assert.deepEqual(found('namespaces/status'), {
    name: 'namespaces/status',
    singularName: '',
    namespaced: false,
    kind: 'Namespace',
    verbs: ['get', 'patch', 'update'],
  })
  assert.equal(found('configmaps').storageVersionHash, 'qFsyl6wFWjQ=')
})

test('discovery: slashes at the end, methods and paths that are not there', async () => {
  const { send } = await startServer('discovery paths')
  for (const path of ['/api/', '/apis/', '/api/v1/', '/apis/coordination.k8s.io/v1/']) {
    assert.equal((await send('GET', path)).status, 200, path)
  }
  assert.equal((await send('POST', '/apis')).status, 405)
  assert.equal((await send('GET', '/apis/nope.example.com')).body, '404 page not found\n')
  assert.equal((await send('GET', '/apis/coordination.k8s.io/v9')).body.reason, 'NotFound')
  const { paths } = (await send('GET', '/')).body
  for (const path of ['/api/v1', '/apis', '/livez/ping', '/metrics', '/readyz', '/version']) {
    assert.ok(paths.includes(path), path)
  }
})

test('discovery: all in one document, and not twice', async () => {
  const { send } = await startServer('discovery aggregated')
  const ask = (accept: string, headers = {}) => send('GET', '/apis', undefined, { accept, ...headers })
  const first = await ask(`${aggregated('v2')},application/json`)
  assert.equal(first.headers['content-type'], aggregated('v2'))
  assert.equal(first.headers['vary'], 'Accept')
  assert.equal(first.headers['cache-control'], 'public')
  const hash = createHash('sha512')
    .update(`${JSON.stringify(first.body)}\n`)
    .digest('hex')
    .toUpperCase()
  assert.equal(first.headers['etag'], `"${hash}"`)
  const leases = first.body.items.find(
    (each: { metadata: { name: string } }) => each.metadata.name === 'coordination.k8s.io',
  )
  assert.equal(leases.versions[0].freshness, 'Current')
  assert.equal(leases.versions[0].resources[0].resource, 'leases')

  const again = await ask(aggregated('v2'), { 'if-none-match': first.headers['etag'] })
  assert.deepEqual([again.status, again.body], [304, ''])
  assert.equal((await ask(aggregated('v2beta1'))).body.apiVersion, 'apidiscovery.k8s.io/v2beta1')
  assert.equal((await ask(`application/json,${aggregated('v2')}`)).body.kind, 'APIGroupList')
  assert.equal((await ask(`${aggregated('v2')};profile=nopeer`)).body.kind, 'APIGroupDiscoveryList')
  assert.equal((await ask(aggregated('v9'))).status, 406)
})
