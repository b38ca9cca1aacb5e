import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiService } from '@strata/api'
import { OutboundError, type Remote, type RemoteRequest, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { parseServiceMappings } from '../services/index.ts'
import { Backends } from './backends.ts'

const apiService = (name: string, more: object = {}): ApiService => ({
  metadata: { name: `v1.${name}.dev` },
  spec: {
    group: `${name}.dev`,
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    service: { namespace: 'shop', name, port: 443 },
    ...more,
  },
  status: {},
})

type Answers = (request: RemoteRequest) => number | Error | 'silence' | object

function create(answers: Answers) {
  const simulation = new Simulation('backends')
  const world = simulation.process('a')
  const sent: RemoteRequest[] = []
  const remote: Remote = (request) => {
    sent.push(request)
    const answer = answers(request)
    if (answer === 'silence') {
      return new Promise((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true }),
      )
    }
    if (answer instanceof Error) return Promise.reject(answer)
    const body = typeof answer === 'number' ? new Uint8Array() : utf8.encode(JSON.stringify(answer))
    return Promise.resolve({
      status: typeof answer === 'number' ? answer : 200,
      headers: { etag: '"e"' },
      body,
    })
  }
  const resolveService = parseServiceMappings([
    'shop/up=https://u:1',
    'shop/odd:8443=https://o:1',
    'shop/b=https://b:1',
  ])
  assert.ok(!('problem' in resolveService))
  const running = new AbortController()
  const backends = new Backends(world, { remote, resolveService }, running.signal)
  const checks: string[] = []
  backends.onChecked = (name) => checks.push(`${name} ${backends.unsaidOf(name)?.reason}`)
  const pass = (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms })
  return { backends, checks, sent, pass, running }
}

test('backends: each is checked for itself, and one that hangs holds no other', async () => {
  const { backends, checks, sent, pass, running } = create(({ url }) =>
    url.startsWith('https://b') ? 'silence' : 200,
  )
  backends.follow([apiService('up'), apiService('b'), apiService('odd'), apiService('gone')])
  await pass(1_000)
  assert.deepEqual(checks.slice(0, 3).sort(), [
    'v1.gone.dev ServiceNotFound',
    'v1.odd.dev ServicePortError',
    'v1.up.dev Passed',
  ])
  await pass(5_000)
  assert.ok(checks.includes('v1.b.dev FailedDiscoveryCheck'), String(checks))
  const [first] = sent
  assert.equal(first?.url, 'https://u:1/apis/up.dev/v1')
  assert.equal(first?.serverName, 'up.shop.svc')
  assert.deepEqual(
    [first?.headers['x-remote-user'], first?.headers['x-remote-group']],
    ['system:kube-aggregator', ['system:masters']],
  )
  running.abort(new Error('stopped'))
})

test('backends: one status for each check; failures are checked sooner, but ever less often', async () => {
  let answer: number | Error = 200
  const { backends, checks, sent, pass, running } = create(() => answer)
  backends.follow([apiService('up')])
  await pass(10)
  assert.equal(backends.unsaidOf('v1.up.dev')?.status, 'True')
  backends.said('v1.up.dev')
  assert.equal(backends.unsaidOf('v1.up.dev'), undefined)
  answer = new OutboundError('EOF')
  await pass(37_000)
  assert.match(backends.unsaidOf('v1.up.dev')?.message ?? '', /: Get "https:\/\/u:1\/apis\/up.dev\/v1": EOF$/)
  await pass(600_000)
  assert.ok(sent.length > 20 && sent.length < 40, `${sent.length} checks in ten minutes`)
  answer = 200
  await pass(40_000)
  assert.equal(checks.at(-1), 'v1.up.dev Passed')
  running.abort(new Error('stopped'))
})

test('backends: another address is checked at once, and an APIService that has gone no more', async () => {
  const { backends, checks, sent, pass, running } = create(() => 200)
  backends.follow([apiService('up')])
  await pass(10)
  backends.follow([apiService('up', { service: { namespace: 'shop', name: 'b', port: 443 } })])
  await pass(10)
  assert.deepEqual([...new Set(sent.map(({ url }) => new URL(url).origin))], ['https://u:1', 'https://b:1'])
  backends.follow([])
  await pass(120_000)
  assert.equal(checks.length, 2)
  running.abort(new Error('stopped'))
})

test('backends: their resources are read from either form of discovery, and unknown while they are away', async () => {
  const resource = (name: string) => ({
    ...{ resource: name, responseKind: { group: '', version: '', kind: 'Thing' }, scope: 'Cluster' },
    ...{ singularResource: '', verbs: ['get'] },
  })
  const versions = [{ version: 'v1', resources: [resource('things')] }]
  const aggregated = {
    ...{ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' },
    items: [{ metadata: { name: 'up.dev' }, versions }],
  }
  const old = { name: 'olds', namespaced: false, kind: 'Thing', verbs: ['get'] }
  const legacy = { kind: 'APIResourceList', groupVersion: 'up.dev/v1', resources: [old] }
  let root: object | number = aggregated
  let isUp = true
  const { backends, sent, pass, running } = create(({ url, headers }) => {
    if (!isUp) return 'silence'
    if (!url.endsWith('/apis')) return legacy
    return headers['if-none-match'] === '"e"' ? 304 : root
  })
  const name = 'v1.up.dev'
  backends.follow([apiService('up')])
  await pass(10)
  const first = backends.resourcesOf(name)
  assert.deepEqual(first, [resource('things')])
  await pass(40_000)
  assert.ok(sent.some(({ headers }) => headers['if-none-match'] === '"e"'))
  assert.equal(backends.resourcesOf(name), first, 'the same list while nothing changes')
  isUp = false
  await pass(45_000)
  assert.equal(backends.resourcesOf(name), undefined)
  root = 404
  isUp = true
  await pass(40_000)
  assert.deepEqual(backends.resourcesOf(name), [resource('olds')])
  running.abort(new Error('stopped'))
})

test('backends: their OpenAPI documents are read with the checks, and stay while they are away', async () => {
  const path = '/apis/up.dev/v1/things'
  const v3 = { openapi: '3.0.0', paths: { [path]: {} } }
  const v2 = (operationId: string) => ({
    swagger: '2.0',
    paths: { [path]: { get: { operationId, responses: {} } } },
  })
  let documents: Record<string, object | number | 'silence'> = {
    '/openapi/v3/apis/up.dev/v1': v3,
    '/openapi/v2': v2('one'),
  }
  const { backends, sent, pass, running } = create(({ url }) => documents[new URL(url).pathname] ?? 200)
  let changes = 0
  backends.onDescribed = () => changes++
  backends.follow([apiService('up')])
  await pass(10)
  const name = 'v1.up.dev'
  const first = backends.openApiOf(name)
  const textOf = (body: Uint8Array | undefined): string => utf8.decode(body ?? new Uint8Array())
  assert.equal(textOf(first?.document?.body), JSON.stringify(v3))
  assert.match(textOf(first?.swagger), /"operationId":"one"/)
  await pass(40_000)
  assert.ok(
    sent.some(({ url, headers }) => url.endsWith('/openapi/v2') && headers['if-none-match'] === '"e"'),
  )
  assert.equal(backends.openApiOf(name), first, 'the same object while nothing changes')

  for (const odd of [500, 'silence', { swagger: '2.0' }, 302] as const) {
    documents = { '/openapi/v3/apis/up.dev/v1': odd, '/openapi/v2': odd }
    await pass(80_000)
    assert.equal(backends.openApiOf(name), first, String(odd))
  }
  assert.equal(changes, 1)
  assert.equal(backends.unsaidOf(name)?.status, 'True', 'slow documents do not make it unavailable')

  documents = { '/openapi/v3/apis/up.dev/v1': 404, '/openapi/v2': v2('two') }
  await pass(40_000)
  const second = backends.openApiOf(name)
  assert.match(textOf(second?.document?.body), /"openapi":"3.0.0".*"operationId":"two"/, 'made of v2')
  backends.follow([apiService('up', { insecureSkipTLSVerify: true })])
  assert.equal(backends.openApiOf(name), second, 'also while the backend is replaced')
  documents = { '/openapi/v3/apis/up.dev/v1': 404, '/openapi/v2': 404 }
  await pass(40_000)
  assert.deepEqual(backends.openApiOf(name), { document: undefined, swagger: undefined })
  backends.follow([])
  assert.equal(backends.openApiOf(name), undefined)
  running.abort(new Error('stopped'))
})
