import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createFailoverTransport } from '@strata/client'
import {
  AsyncQueue,
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
  utf8,
} from '@strata/world'
import { Simulation } from '@strata/world/sim'
import type { GatewayRequest } from './gateway-request.ts'
import { readWatchSpecs } from './watch-specs.ts'
import { watchTogether } from './watch-together.ts'

const namespaces = '/api/v1/namespaces?watch=1'
const leases = '/apis/coordination.k8s.io/v1/leases?watch=true'

/** A cluster whose watches are fed by the test. Any other request is answered, unless it is frozen. */
class Feeds {
  readonly queues = new Map<string, AsyncQueue<Uint8Array>>()
  isFrozen = false

  readonly transport: Transport = async ({ target, signal }: HttpRequest): Promise<HttpResponse> => {
    if (target.includes('refused'))
      return { status: 403, headers: {}, body: utf8.encode('{\n "kind": "Status",\n "code": 403\n}\n') }
    if (target.includes('away')) throw new TransportError('connect ECONNREFUSED', 'no')
    if (!target.includes('watch=')) {
      if (this.isFrozen)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return { status: 200, headers: {}, body: new Uint8Array() }
    }
    const queue = new AsyncQueue<Uint8Array>({ limit: 100 })
    this.queues.set(target, queue)
    signal.addEventListener('abort', () => queue.fail(signal.reason))
    return { status: 200, headers: {}, body: queue }
  }

  say(target: string, text: string): void {
    const queue = this.queues.get(target) ?? assert.fail(`nothing watches ${target}`)
    assert.ok(queue.push(utf8.encode(text)))
  }
}

async function start(watches: readonly object[]) {
  const simulation = new Simulation('watches')
  const { clock } = simulation.process('gateway')
  const feeds = new Feeds()
  const gone = new AbortController()
  const request: GatewayRequest = {
    ...{ method: 'POST', target: '/dashboard/watches', headers: {}, signal: gone.signal },
    readBody: async () => utf8.encode(JSON.stringify({ watches })),
  }
  const { body, headers } = await watchTogether(request, { transport: feeds.transport, servers: 1, clock })
  assert.equal(headers['content-type'], 'application/x-ndjson')
  const lines: unknown[] = []
  const reading = (async () => {
    for await (const line of body as AsyncIterable<Uint8Array>) {
      const text = utf8.decode(line)
      assert.match(text, /^[^\n]+\n$/)
      lines.push(JSON.parse(text))
    }
  })()
  const wait = (ms: number): Promise<unknown> => simulation.run({ untilMs: simulation.nowMs + ms })
  await wait(10)
  return { feeds, lines, reading, wait, gone }
}

describe('watches that share an answer', () => {
  test('each event has the name of its watch, whole, however it arrives', async () => {
    const { feeds, lines, wait } = await start([
      { id: 'n', path: namespaces },
      { id: 'l', path: leases },
    ])
    feeds.say(namespaces, '{"type":"ADDED","object":{"a":1}}\n{"type":"MODI')
    feeds.say(leases, '{"type":"BOOKMARK","object":{"text":"ü\\n"}}\n')
    await wait(10)
    feeds.say(namespaces, 'FIED","object":9007199254740993}\n')
    await wait(10)
    assert.deepEqual(lines, [
      { id: 'n', event: { type: 'ADDED', object: { a: 1 } } },
      { id: 'l', event: { type: 'BOOKMARK', object: { text: 'ü\n' } } },
      { id: 'n', event: { type: 'MODIFIED', object: 9007199254740992 } },
    ])
  })

  test('one that ends does not end the others', async () => {
    const { feeds, lines, wait } = await start([
      { id: 'n', path: namespaces },
      { id: 'l', path: leases },
    ])
    feeds.queues.get(namespaces)?.close()
    await wait(10)
    feeds.say(leases, '{"type":"ADDED"}\n')
    await wait(10)
    assert.deepEqual(lines, [
      { id: 'n', ended: true },
      { id: 'l', event: { type: 'ADDED' } },
    ])
  })

  test('a watch that is refused says why, in one line; so does one that cannot be sent', async () => {
    const { lines, reading } = await start([
      { id: 'a', path: '/api/v1/refused?watch=1' },
      { id: 'b', path: '/api/v1/away?watch=1' },
    ])
    await reading
    const [refused, away] = (lines as { id: string; status: { code: number } }[]).sort((a, b) =>
      a.id < b.id ? -1 : 1,
    )
    assert.deepEqual(refused, { id: 'a', status: { kind: 'Status', code: 403 } })
    assert.deepEqual([away?.id, away?.status.code], ['b', 503])
  })

  test('all end when the server falls silent', async () => {
    const { feeds, lines, reading, wait } = await start([{ id: 'n', path: namespaces }])
    await wait(60_000)
    assert.deepEqual(lines, [])
    feeds.isFrozen = true
    await wait(8_000)
    await reading
    assert.deepEqual(lines, [{ id: 'n', ended: true }])
  })

  test('also if other requests have moved on to another server by then', async () => {
    const simulation = new Simulation('two')
    const { clock } = simulation.process('gateway')
    const [first, second] = [new Feeds(), new Feeds()]
    const transport = createFailoverTransport([first.transport, second.transport])
    const gone = new AbortController()
    const { body } = await watchTogether(
      {
        ...{ method: 'POST', target: '/dashboard/watches', headers: {}, signal: gone.signal },
        readBody: async () => utf8.encode(JSON.stringify({ watches: [{ id: 'n', path: namespaces }] })),
      },
      { transport, pin: () => transport.pin(), servers: 2, clock },
    )
    const ended = (async () => {
      for await (const line of body as AsyncIterable<Uint8Array>) return JSON.parse(utf8.decode(line))
    })()
    await simulation.run({ untilMs: simulation.nowMs + 10 })
    // The page gives up a request that the first has not answered yet.
    first.isFrozen = true
    const early = new AbortController()
    const given = transport({ method: 'GET', target: '/api/v1', headers: {}, signal: early.signal })
    early.abort(new Error('not needed any more'))
    await assert.rejects(given)
    await simulation.run({ untilMs: simulation.nowMs + 8_000 })
    assert.deepEqual(await Promise.race([ended, 'still open']), { id: 'n', ended: true })
    gone.abort(new Error('gone'))
  })

  test('a server that was killed since the last request is passed over', async () => {
    const simulation = new Simulation('killed')
    const { clock } = simulation.process('gateway')
    const killed: Transport = async () => {
      throw new TransportError('connect ECONNREFUSED', 'no')
    }
    const second = new Feeds()
    const transport = createFailoverTransport([killed, second.transport])
    const gone = new AbortController()
    const { body } = await watchTogether(
      {
        ...{ method: 'POST', target: '/dashboard/watches', headers: {}, signal: gone.signal },
        readBody: async () => utf8.encode(JSON.stringify({ watches: [{ id: 'n', path: namespaces }] })),
      },
      { transport, pin: () => transport.pin(), servers: 2, clock },
    )
    const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    const first = reader.next()
    await simulation.run({ untilMs: simulation.nowMs + 10 })
    if (second.queues.has(namespaces)) second.say(namespaces, '{"type":"ADDED"}\n')
    const line = (await first).value ?? new Uint8Array()
    assert.deepEqual(JSON.parse(utf8.decode(line)), { id: 'n', event: { type: 'ADDED' } })
    gone.abort(new Error('gone'))
    await reader.return?.()
  })

  test('a page that goes ends the watches', async () => {
    const { feeds, reading, gone, wait } = await start([{ id: 'n', path: namespaces }])
    gone.abort(new Error('gone'))
    await wait(10)
    await reading
    assert.ok(feeds.queues.get(namespaces)?.closed)
  })

  test('a page that reads slowly is waited for', async () => {
    const simulation = new Simulation('slow')
    const { clock } = simulation.process('gateway')
    let taken = 0
    const transport: Transport = async ({ target }) => ({
      status: 200,
      headers: {},
      body: target.includes('watch=') ? endless() : new Uint8Array(),
    })
    async function* endless() {
      for (;;) {
        taken++
        yield utf8.encode('{"type":"ADDED"}\n')
      }
    }
    const gone = new AbortController()
    const { body } = await watchTogether(
      {
        ...{ method: 'POST', target: '/dashboard/watches', headers: {}, signal: gone.signal },
        readBody: async () => utf8.encode(JSON.stringify({ watches: [{ id: 'n', path: namespaces }] })),
      },
      { transport, servers: 1, clock },
    )
    const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    for (let read = 0; read < 3; read++) await reader.next()
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
    assert.ok(taken <= 4, `${taken} were taken for 3 that were read`)
    gone.abort(new Error('gone'))
    await reader.return?.()
  })
})

const wrong: ReadonlyArray<[name: string, body: string, want: RegExp]> = [
  ['no JSON', '{', /no JSON/],
  ['nothing', 'null', /must be a list/],
  ['no watches', '{"watches":[]}', /must be a list/],
  ['too many', JSON.stringify({ watches: Array(201).fill({ id: 'a', path: namespaces }) }), /1 to 200/],
  ['no id', JSON.stringify({ watches: [{ path: namespaces }] }), /needs an id/],
  [
    'one id twice',
    JSON.stringify({ watches: Array(2).fill({ id: 'a', path: namespaces }) }),
    /an id of its own/,
  ],
  ['a list', JSON.stringify({ watches: [{ id: 'a', path: '/api/v1/namespaces' }] }), /needs watch=1/],
  ['a document', JSON.stringify({ watches: [{ id: 'a', path: '/version?watch=1' }] }), /is no watch/],
  [
    'a path that is not passed on',
    JSON.stringify({ watches: [{ id: 'a', path: '/api/../metrics?watch=1' }] }),
    /is no watch/,
  ],
  [
    'Secrets',
    JSON.stringify({ watches: [{ id: 'a', path: '/api/v1/secrets?watch=1' }] }),
    /nothing on about Secrets/,
  ],
  [
    'a connection',
    JSON.stringify({ watches: [{ id: 'a', path: '/api/v1/nodes/a/proxy/?watch=1' }] }),
    /passes nothing on/,
  ],
  [
    'protobuf',
    JSON.stringify({
      watches: [{ id: 'a', path: namespaces, accept: 'application/vnd.kubernetes.protobuf' }],
    }),
    /only be JSON/,
  ],
]
describe('watches that are not asked for well', () => {
  for (const [name, body, want] of wrong) {
    test(name, () => assert.throws(() => readWatchSpecs(utf8.encode(body)), want))
  }
})
