import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, OutboundError, type RemoteRequest, readAll, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import type { FoundBackend } from './found-backend.ts'
import { LongRequests } from './long-requests.ts'
import { decideRefusal, decideTimeoutMs, type PassedRequest, passOn } from './pass-on.ts'

const refusals: ReadonlyArray<
  [status: number, headers: Record<string, string>, isUpgrade: boolean, want: number | undefined]
> = [
  [200, {}, false, undefined],
  [404, { location: '/x' }, false, undefined],
  [301, { location: 'https://evil.example' }, false, 502],
  [399, { location: '/x' }, false, 502],
  [304, {}, false, undefined],
  [101, {}, true, undefined],
  [403, {}, true, undefined],
  [200, {}, true, 503],
  [302, { location: '/x' }, true, 502],
]
for (const [status, headers, isUpgrade, want] of refusals) {
  test(`an answer of a backend: ${status} ${JSON.stringify(headers)}${isUpgrade ? ' to an upgrade' : ''}`, () =>
    assert.equal(decideRefusal(status, headers, isUpgrade)?.status, want))
}

test('a request for a backend: discovery has little time', () => {
  const ms = (target: string): number => decideTimeoutMs({ target }, 60_000)
  assert.deepEqual(
    ['/apis/a.dev/v1', '/apis/a.dev/v1/', '/apis/a.dev/v1?timeout=32s', '/apis/a.dev/v1/things'].map(ms),
    [5_000, 5_000, 5_000, 60_000],
  )
})

function create(answer: (request: RemoteRequest) => Promise<HttpResponse>, more: Partial<FoundBackend> = {}) {
  const simulation = new Simulation('pass on')
  const { clock } = simulation.process('a')
  let open = 0
  const long = new LongRequests()
  const found: FoundBackend = {
    backend: {
      ...{ name: 'v1.a.dev', group: 'a.dev', versionName: 'v1', ca: undefined, isUnverified: false },
      service: { namespace: 'shop', name: 'api', port: 443 },
    },
    host: 'api.shop.svc:443',
    isAvailable: true,
    originOf: () => 'https://10.0.0.7:9443',
    send: answer,
    begin: () => {
      open++
      return () => open--
    },
    beginLong: (signal) => long.begin(signal),
    ...more,
  }
  const request: PassedRequest = {
    ...{ method: 'GET', target: '/apis/a.dev/v1/things?limit=5', headers: {}, body: undefined },
    ...{ user: { name: 'eve', groups: [] }, auditId: 'a1', remoteAddress: undefined, isUpgrade: false },
    ...{ timeoutMs: 60_000, signal: new AbortController().signal },
  }
  const begin = (other: Partial<PassedRequest> = {}) => passOn(found, { ...request, ...other }, clock)
  const pass = (other: Partial<PassedRequest> = {}) => simulation.settle(begin(other))
  return { begin, pass, open: () => open, long, simulation }
}

const textOf = (answer: unknown): unknown => (answer as { text?: string }).text

test('a request for a backend: the same path and query, under the name of the service', async () => {
  let seen: RemoteRequest | undefined
  const { pass, open } = create(async (request) => {
    seen = request
    return { status: 200, headers: {}, body: utf8.encode('hi') }
  })
  const answer = await pass()
  assert.ok('body' in answer && answer.isFinal)
  assert.equal(utf8.decode(await readAll(answer.body)), 'hi')
  assert.deepEqual(
    [seen?.url, seen?.serverName, seen?.headers['x-remote-user']],
    ['https://10.0.0.7:9443/apis/a.dev/v1/things?limit=5', 'api.shop.svc', 'eve'],
  )
  assert.equal(open(), 0)
})

test('a request for a backend: refused while it is away, unknown or full', async () => {
  const never = () => assert.fail('nothing is sent')
  for (const more of [{ isAvailable: false }, { originOf: () => undefined }]) {
    assert.equal(textOf(await create(never, more).pass()), 'service unavailable\n')
  }
  const full = await create(never, { begin: () => undefined }).pass()
  assert.equal((full as { status: number }).status, 429)
})

test('a request for a backend: no answer is 503 with the reason', async () => {
  const { pass, open } = create(() => Promise.reject(new OutboundError('EOF')))
  assert.deepEqual([textOf(await pass()), open()], ['EOF\n', 0])
})

test('a request for a backend: a silent one ends in time, also in the middle of its answer', async () => {
  const silent = ({ signal }: RemoteRequest): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  const mute = create(silent)
  await assert.rejects(mute.pass(), { name: 'DeadlineExceeded' })
  assert.equal(mute.open(), 0)
  const half = create(async (request) => ({
    status: 200,
    headers: {},
    body: (async function* () {
      yield utf8.encode('half')
      await silent(request)
    })(),
  }))
  const answer = await half.pass()
  assert.ok('body' in answer)
  await assert.rejects(half.simulation.settle(readAll(answer.body)), { name: 'DeadlineExceeded' })
  assert.equal(half.open(), 0)
})

test('a request for a backend: a watch ends when its backend is found silent, with or without the first byte', async () => {
  const silent = ({ signal }: RemoteRequest): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  const watch = { timeoutMs: undefined }
  const mute = create(silent)
  const waiting = mute.begin(watch)
  await mute.simulation.run({ untilMs: mute.simulation.nowMs + 3_600_000 })
  assert.equal(mute.long.end('the backend does not answer'), 1)
  assert.deepEqual(await waiting, { status: 503, text: 'the backend does not answer\n' })

  const half = create(async (request) => ({
    status: 200,
    headers: {},
    body: (async function* () {
      yield utf8.encode('half')
      await silent(request)
    })(),
  }))
  const answer = await half.pass(watch)
  assert.ok('body' in answer)
  const reading = assert.rejects(readAll(answer.body), { message: 'the backend does not answer' })
  await half.simulation.run({ untilMs: half.simulation.nowMs + 3_600_000 })
  assert.equal(half.long.end('the backend does not answer'), 1)
  await reading
})

test('a request for a backend: a watch that has ended is not held, nor one whose client has gone', async () => {
  const { pass, long } = create(async () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      yield utf8.encode('all')
    })(),
  }))
  const answer = await pass({ timeoutMs: undefined })
  assert.ok('body' in answer)
  await readAll(answer.body)
  assert.equal(long.end('late'), 0)

  const client = new AbortController()
  const gone = create(({ signal }) => {
    client.abort(new Error('bye'))
    return Promise.reject(signal.reason)
  })
  const waiting = { timeoutMs: undefined, signal: client.signal }
  await assert.rejects(gone.begin(waiting), { message: 'bye' })
  assert.equal(gone.long.end('late'), 0)
})
