import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll } from '@strata/world'
import { adminToken } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

test('filters: every answer has an audit id and tells caches to keep out', async () => {
  const { send } = await startServer('audit')
  for (const target of ['/livez', '/nope', maps, '/api/v1/nopes']) {
    const { headers } = await send('GET', target, undefined, { 'audit-id': 'x'.repeat(100) })
    assert.equal(headers['audit-id'], 'x'.repeat(64), target)
    assert.equal(headers['cache-control'], 'no-cache, private')
  }
})

test('filters: strangers see whether we are alive, and nothing else', async () => {
  const { send } = await startServer('strangers', { bootstrapPolicy: true })
  const stranger = (method: string, target: string) => send(method, target, undefined, { authorization: '' })
  for (const open of ['/livez', '/readyz', '/healthz', '/version']) {
    assert.equal((await stranger('GET', open)).status, 200, open)
  }
  for (const closed of ['/', '/api', '/apis', '/metrics', '/livez/ping', '/nope', maps]) {
    const refused = await stranger('GET', closed)
    assert.equal(refused.status, 403, closed)
    assert.equal(refused.headers['x-content-type-options'], 'nosniff')
  }
  assert.equal((await stranger('POST', '/livez')).status, 403)
})

test('filters: an impersonated user may do what that user may do', async () => {
  const { send } = await startServer('impersonation')
  const as = (name: string) => send('GET', maps, undefined, { 'impersonate-user': name })
  assert.match((await as('eve')).body.message, /^configmaps is forbidden: User "eve" cannot list resource/)
  assert.equal(
    (
      await send('GET', maps, undefined, {
        'impersonate-user': 'root',
        'impersonate-group': 'system:masters',
      })
    ).status,
    200,
  )
})

test('filters: watches end when the server stops, and are no longer counted', async () => {
  const { simulation, server, send } = await startServer('stopping')
  const request = {
    method: 'GET',
    target: `${maps}?watch=1`,
    headers: { authorization: `Bearer ${adminToken}` },
    signal: new AbortController().signal,
  }
  const watch = await simulation.settle(server.handle(request))
  const open = /apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)\n/
  assert.equal(open.exec((await send('GET', '/metrics')).body)?.[1], '1')
  const read = readAll(watch.body)
  await simulation.settle(Promise.all([read, server.stop(0)]))
  assert.equal(open.exec((await send('GET', '/metrics')).body)?.[1], '0')
  assert.equal((await send('GET', '/readyz')).status, 500)
  assert.equal((await send('GET', '/livez')).status, 200)
})

test('filters: a deadline that cannot be read is refused', async () => {
  const { send } = await startServer('timeout')
  const { status, body } = await send('GET', `${maps}?timeout=soon`)
  assert.equal(status, 400)
  assert.equal(body.message, 'invalid timeout specified in the request URL - time: invalid duration "soon"')
  assert.equal((await send('GET', `${maps}?timeout=5s`)).status, 200)
})

test('filters: what was asked is counted, names that clients invent are not', async () => {
  const { send } = await startServer('metrics')
  await send('POST', maps, configMap('a'))
  await send('GET', `${maps}/a`)
  await send('POST', `${maps}?dryRun=All`, configMap('b'))
  await send('GET', '/apis/made.up/v1/things/x')
  const { body, headers } = await send('GET', '/metrics')
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
  assert.match(
    body,
    /apiserver_request_total\{code="201",.*dry_run="",.*resource="configmaps",scope="namespace",.*verb="POST".*\} 1\n/,
  )
  assert.match(
    body,
    /apiserver_request_duration_seconds_count\{.*resource="configmaps",scope="resource",.*verb="GET".*\} 1\n/,
  )
  assert.match(body, /apiserver_request_total\{code="201",.*dry_run="All",.*verb="POST".*\} 1\n/)
  assert.match(body, /apiserver_current_inflight_requests\{request_kind="readOnly"\} 1\n/)
  assert.match(body, /kubernetes_healthcheck\{name="ping",type="livez"\} 1\n/)
  assert.doesNotMatch(body, /made\.up|things/)
})

test("filters: health by upstream's names, one by one, with what may be left out", async () => {
  const { send } = await startServer('health')
  const lines = async (path: string): Promise<string[]> =>
    (await send('GET', path)).body.trimEnd().split('\n')
  const live = await lines('/livez?verbose')
  assert.deepEqual(live.slice(0, 3), ['[+]ping ok', '[+]log ok', '[+]etcd ok'])
  assert.equal(live.at(-1), 'livez check passed')
  const ready = await lines('/readyz?verbose&exclude=etcd&exclude=nope')
  assert.ok(ready.includes('[+]etcd excluded: ok'))
  assert.ok(ready.includes('[+]etcd-readiness ok'))
  assert.ok(ready.includes('warn: some health checks cannot be excluded: no matches for "nope"'))
  assert.equal((await send('GET', '/livez/etcd')).body, 'ok')
  assert.equal((await send('GET', '/livez/etcd-readiness')).status, 404)
})
