import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, configMaps, leases, notFound, notFoundPath } from '@strata/api'
import { type HttpRequest, type HttpResponse, TransportError, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createClient } from './client.ts'
import { continueTokenOf, isAbsence, MalformedAnswer, retryAfterMs } from './errors.ts'

const { signal } = new AbortController()
const reference = { namespace: 'default', name: 'one' }

function answering(answer: (request: HttpRequest) => Partial<HttpResponse> & { json?: unknown }) {
  const requests: HttpRequest[] = []
  const transport = async (request: HttpRequest): Promise<HttpResponse> => {
    requests.push(request)
    const { status = 200, headers = {}, json, body } = answer(request)
    return { status, headers, body: body ?? utf8.encode(JSON.stringify(json)) }
  }
  const client = createClient({ transport, token: 'secret', userAgent: 'test' })
  return { requests, configMaps: client.resource(configMaps, 'v1'), leases: client.resource(leases, 'v1') }
}

test('client: every verb has its method, path and body', async () => {
  const { requests, ...client } = answering(() => ({ json: { metadata: {} } }))
  await client.leases.get(reference, signal)
  await client.leases.create({ metadata: reference }, signal)
  await client.leases.update({ metadata: reference }, signal)
  await client.leases.delete(reference, { preconditions: { uid: 'u', resourceVersion: '5' } }, signal)
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
  const object = { metadata: reference, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
  const options = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    preconditions: { uid: 'u', resourceVersion: '5' },
  }
  const sent = requests.map(({ method, target, body }) => [
    method,
    target,
    body && JSON.parse(utf8.decode(body)),
  ])
  assert.deepEqual(sent, [
    ['GET', `${path}/one`, undefined],
    ['POST', path, object],
    ['PUT', `${path}/one`, object],
    ['DELETE', `${path}/one`, options],
  ])
  assert.equal(requests[0]?.headers['authorization'], 'Bearer secret')
  assert.equal(requests[0]?.headers['user-agent'], 'test')
})

test('client: the core group has its own root, and names cannot climb out of their segment', async () => {
  const { requests, ...client } = answering(() => ({ json: {} }))
  await client.configMaps.get({ namespace: 'a/b', name: '../x' }, signal)
  assert.equal(requests[0]?.target, '/api/v1/namespaces/a%2Fb/configmaps/..%2Fx')
})

test('client: a request without an answer in time fails with an unknown outcome; long requests and watches have no limit', async () => {
  const simulation = new Simulation('patience')
  const { clock } = simulation.process('client')
  const frozen = ({ signal: given }: HttpRequest): Promise<HttpResponse> =>
    new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason), { once: true }))
  const client = createClient({ transport: frozen, answerLimit: { clock, answerMs: 90_000 } })
  const maps = client.resource(configMaps, 'v1')
  const given: Record<string, unknown> = {}
  const note = (name: string, asked: Promise<unknown>): void =>
    void asked.catch((error: unknown) => {
      given[name] = error
    })
  const stop = new AbortController()
  note('get', maps.get(reference, stop.signal))
  note('list', maps.list({}, stop.signal))
  note('patch', maps.patch(reference, {}, stop.signal))
  note('discover', client.discover(stop.signal))
  note('long', maps.create({ metadata: reference }, stop.signal, { isLong: true }))
  note('watch', maps.watch({}, stop.signal)[Symbol.asyncIterator]().next())
  await simulation.run({ untilMs: simulation.nowMs + 89_000 })
  assert.deepEqual(given, {})
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  assert.deepEqual(Object.keys(given).sort(), ['discover', 'get', 'list', 'patch'])
  for (const error of Object.values(given)) {
    assert.ok(error instanceof TransportError, String(error))
    assert.equal(error.reached, 'unknown')
    assert.match(error.message, /^no answer within 90 s$/)
  }
  const why = new Error('enough')
  note('own', maps.get(reference, stop.signal))
  stop.abort(why)
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  assert.deepEqual([given['own'], given['long'], given['watch']], [why, why, why])
})

test('client: long requests have a limit of their own, if one is set', async () => {
  const simulation = new Simulation('long patience')
  const { clock } = simulation.process('client')
  const frozen = ({ signal: given }: HttpRequest): Promise<HttpResponse> =>
    new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason), { once: true }))
  const answerLimit = { clock, answerMs: 15_000, longAnswerMs: 120_000 }
  const maps = createClient({ transport: frozen, answerLimit }).resource(configMaps, 'v1')
  const failures: unknown[] = []
  const note = (error: unknown): void => void failures.push(error)
  maps.create({ metadata: reference }, signal, { isLong: true }).catch(note)
  await simulation.run({ untilMs: simulation.nowMs + 119_000 })
  assert.deepEqual(failures, [])
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  assert.deepEqual(failures.map(String), ['TransportError: no answer within 120 s'])
})

test('client: a body that never ends fails too', async () => {
  const simulation = new Simulation('endless')
  const { clock } = simulation.process('client')
  async function* body({ signal: given }: HttpRequest): AsyncGenerator<Uint8Array> {
    yield utf8.encode('{')
    await new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason)))
  }
  const transport = async (request: HttpRequest): Promise<HttpResponse> => ({
    ...{ status: 200, headers: {}, body: body(request) },
  })
  const client = createClient({ transport, answerLimit: { clock, answerMs: 90_000 } })
  let failure: unknown
  client
    .resource(configMaps, 'v1')
    .get(reference, signal)
    .catch((error: unknown) => {
      failure = error
    })
  await simulation.run({ untilMs: simulation.nowMs + 91_000 })
  assert.ok(failure instanceof TransportError, String(failure))
})

test('client: pages are put together', async () => {
  const { requests, ...client } = answering(({ target }) => {
    const next = new URLSearchParams(target.split('?')[1]).get('continue')
    const page = { kind: 'ConfigMapList', apiVersion: 'v1' }
    return next === null
      ? {
          json: {
            ...page,
            metadata: { resourceVersion: '9', continue: 'more' },
            items: [{ metadata: { name: 'a' } }],
          },
        }
      : { json: { ...page, metadata: { resourceVersion: '9' }, items: [{ metadata: { name: 'b' } }] } }
  })
  const list = await client.configMaps.list({}, signal)
  assert.deepEqual(
    list.items.map(({ metadata: { name } }) => name),
    ['a', 'b'],
  )
  assert.deepEqual(list.metadata, { resourceVersion: '9' })
  assert.equal(requests.length, 2)
})

test('client: a failed answer keeps its Status', async () => {
  const { status } = notFound(leases, 'one')
  const client = answering(() => ({ status: 404, json: status })).leases
  await assert.rejects(client.get(reference, signal), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(error.status, status)
    return true
  })
})

test('client: Retry-After counts where the Status does not say it', async () => {
  const answer = { status: 429, headers: { 'retry-after': '3' }, body: utf8.encode('slow down') }
  const client = answering(() => answer).leases
  await assert.rejects(client.get(reference, signal), (error) => {
    assert.equal(retryAfterMs(error), 3000)
    assert.match(String(error), /slow down/)
    return true
  })
})

test('client: an answer that is not JSON is malformed', async () => {
  const client = answering(() => ({ body: utf8.encode('<html>') })).leases
  await assert.rejects(client.get(reference, signal), MalformedAnswer)
})

test('client: a transport failure stays what it is', async () => {
  const failure = new TransportError('refused', 'no')
  const client = createClient({ transport: () => Promise.reject(failure) }).resource(leases, 'v1')
  await assert.rejects(client.get(reference, signal), (error) => error === failure)
})

const absences: readonly [string, unknown, boolean][] = [
  ['this very object is not found', notFound(leases, 'one'), true],
  ['another object is not found', notFound(leases, 'two'), false],
  ['another kind of object is not found', notFound({ ...leases, resource: 'others' }, 'one'), false],
  ['the same kind of another group is not found', notFound({ ...leases, group: '' }, 'one'), false],
  ['the path is not known', notFoundPath(), false],
  ['a proxy says 404', new ApiError(404, '', 'no backend'), false],
  ['the server fails', new ApiError(500, 'InternalError', 'x', { name: 'one', kind: 'leases' }), false],
  ['the connection fails', new TransportError('x', 'unknown'), false],
]
for (const [name, error, want] of absences) {
  test(`absence: ${name}`, () => assert.equal(isAbsence(error, leases, 'one'), want))
}

test('client: patches and subresources have their paths and media types', async () => {
  const { requests, ...client } = answering(() => ({ json: { metadata: {} } }))
  await client.configMaps.patch(reference, { metadata: { resourceVersion: '5' } }, signal)
  await client.configMaps.updateSubresource('status', { metadata: reference }, signal)
  const path = '/api/v1/namespaces/default/configmaps/one'
  assert.deepEqual(
    requests.map(({ method, target, headers }) => [method, target, headers['content-type']]),
    [
      ['PATCH', path, 'application/merge-patch+json'],
      ['PUT', `${path}/status`, 'application/json'],
    ],
  )
})

test('client: a collection is deleted page by page', async () => {
  const { requests, ...client } = answering(({ target }) => ({
    json: { items: [], metadata: target.includes('continue=more') ? {} : { continue: 'more' } },
  }))
  await client.configMaps.deleteCollection({ namespace: 'n', pageSize: 2, propagation: 'Background' }, signal)
  assert.deepEqual(
    requests.map(({ method, target, body }) => [
      method,
      target,
      JSON.parse(utf8.decode(body ?? new Uint8Array())).propagationPolicy,
    ]),
    [
      ['DELETE', '/api/v1/namespaces/n/configmaps?limit=2', 'Background'],
      ['DELETE', '/api/v1/namespaces/n/configmaps?limit=2&continue=more', 'Background'],
    ],
  )
})

test('client: one page, its continue token, and the token that an expired list sends', async () => {
  const { requests, ...client } = answering(({ target }) =>
    target.includes('continue=old')
      ? { status: 410, json: new ApiError(410, 'Expired', 'too old', undefined, 'rest').status }
      : {
          json: {
            metadata: { continue: 'more', remainingItemCount: 3 },
            items: [{ metadata: { name: 'a' } }],
          },
        },
  )
  const page = await client.configMaps.listPage({ limit: 2 }, signal)
  assert.deepEqual(page.metadata, { continue: 'more', remainingItemCount: 3 })
  const error = await client.configMaps
    .listPage({ limit: 2, continueToken: 'old' }, signal)
    .catch((thrown: unknown) => thrown)
  assert.equal(continueTokenOf(error), 'rest')
  assert.deepEqual(
    requests.map(({ target }) => target),
    ['/api/v1/configmaps?limit=2', '/api/v1/configmaps?limit=2&continue=old'],
  )
})

test('client: text is sent back byte for byte, also long numbers', async () => {
  const text = '{"metadata":{"name":"one"},"data":{"n":12345678901234567890}}'
  const { requests, ...client } = answering(() => ({ body: utf8.encode(text) }))
  const read = await client.configMaps.getText(reference, signal)
  await client.configMaps.putText(reference, read, signal, { dryRun: true, subresource: 'status' })
  const [, put] = requests
  assert.equal(put?.target, '/api/v1/namespaces/default/configmaps/one/status?dryRun=All')
  assert.equal(put?.headers['content-type'], 'application/json')
  assert.equal(utf8.decode(put?.body ?? new Uint8Array()), text)
})

test('client: a patch may name a subresource, dry run and a field manager', async () => {
  const { requests, ...client } = answering(() => ({ json: {} }))
  await client.leases.patch(reference, {}, signal, {
    fieldManager: 'me',
    dryRun: true,
    subresource: 'status',
  })
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/one/status'
  assert.equal(requests[0]?.target, `${path}?dryRun=All&fieldManager=me`)
  assert.equal(requests[0]?.headers['content-type'], 'application/merge-patch+json')
})
