import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebhookClientConfig } from '@strata/api'
import { type Outbound, OutboundError, type OutboundRequest, sleep } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { parseServiceMappings, type ServiceResolver } from '../services/index.ts'
import { createWebhookClient, WebhookCallFailed } from './webhook-client.ts'

const never = new AbortController().signal
const url: WebhookClientConfig = { url: 'https://h:9443/a//b/' }
const service: WebhookClientConfig = { service: { namespace: 'shop', name: 'hook', path: '/x' } }
const bytes = (text: string): Uint8Array => Buffer.from(text)

interface Given {
  readonly config?: WebhookClientConfig
  readonly outbound?: Outbound
  readonly mappings?: readonly string[]
  readonly signal?: AbortSignal
}

/** Calls once, in a world in which time passes only as needed. */
async function ask({ config = url, outbound, mappings = [], signal = never }: Given) {
  const simulation = new Simulation('webhook client')
  const { clock } = simulation.process('a')
  const resolveService = parseServiceMappings(mappings) as ServiceResolver
  const client = createWebhookClient({ clock, resolveService, ...(outbound ? { outbound } : {}) })
  const call = { config, body: bytes('{}'), timeoutMs: 2500, maxResponseBytes: 100, signal }
  return simulation.settle(client(call))
}

const answer =
  (status: number, body: string, headers = {}): Outbound =>
  async () => ({ status, headers, body: bytes(body) })

test('webhook client: the request', async () => {
  const sent: OutboundRequest[] = []
  const outbound: Outbound = async (request) => {
    sent.push(request)
    return { status: 200, headers: {}, body: bytes('{"n":1.0}') }
  }
  assert.equal(JSON.stringify(await ask({ outbound })), '{"n":1.0}')
  const caBundle = Buffer.from('PEM').toString('base64')
  await ask({ outbound, config: { ...service, caBundle }, mappings: ['shop/hook=https://127.0.0.1:1'] })
  await ask({ outbound, config: { url: 'https://h', caBundle: Buffer.from(' \n').toString('base64') } })
  const shown = sent.map(({ url: to, ca, serverName, headers }) => [to, ca, serverName, headers['host']])
  assert.deepEqual(shown, [
    ['https://h:9443/a/b?timeout=3s', undefined, undefined, undefined],
    ['https://127.0.0.1:1/x?timeout=3s', 'PEM', 'hook.shop.svc', 'hook.shop.svc:443'],
    ['https://h/?timeout=3s', undefined, undefined, undefined],
  ])
})

const silent: Outbound = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const posted = 'Post "https://h:9443/a/b?timeout=3s"'
const failures: ReadonlyArray<[name: string, given: Given, message: string]> = [
  ['no network', {}, `${posted}: this server was started without a network for webhooks`],
  [
    'an unknown service',
    { config: service },
    'Post "https://hook.shop.svc:443/x?timeout=3s": service "hook" not found: this server has no address of the service; start it with --service-address shop/hook=https://<host>:<port>',
  ],
  ['silence', { outbound: silent }, `${posted}: context deadline exceeded`],
  [
    'a refused connection',
    { outbound: () => Promise.reject(new OutboundError('dial tcp h:9443: connect: connection refused')) },
    `${posted}: dial tcp h:9443: connect: connection refused`,
  ],
  ['not found', { outbound: answer(404, '') }, 'the server could not find the requested resource'],
  [
    'a failure with words',
    { outbound: answer(500, ' oh no\n', { 'content-type': 'text/plain' }) },
    'an error on the server ("oh no") has prevented the request from succeeding',
  ],
  [
    'a failure in JSON',
    { outbound: answer(500, '{}', { 'content-type': 'application/json' }) },
    'an error on the server ("unknown") has prevented the request from succeeding',
  ],
  [
    'a redirect',
    { outbound: answer(302, '', { location: 'https://elsewhere' }) },
    'the server responded with the status code 302 but did not return more information',
  ],
  ['a refusal in words', { outbound: answer(403, 'not you') }, 'not you'],
  [
    'no JSON',
    { outbound: answer(200, 'hello') },
    "couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value",
  ],
  [
    'no object',
    { outbound: answer(200, '[1]') },
    'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  ],
]

for (const [name, given, message] of failures) {
  test(`webhook client: ${name}`, () =>
    assert.rejects(ask(given), (error) => {
      assert.ok(error instanceof WebhookCallFailed)
      assert.equal(error.message, message)
      return true
    }))
}

test('webhook client: an aborted call rejects with the reason of the signal', async () => {
  const gone = new AbortController()
  const outbound: Outbound = async ({ signal }) => {
    gone.abort(new Error('the client is gone'))
    signal.throwIfAborted()
    throw new Error('never')
  }
  await assert.rejects(ask({ outbound, signal: gone.signal }), { message: 'the client is gone' })
})

test('webhook client: time is kept by the clock of the world', async () => {
  const simulation = new Simulation('webhook client')
  const { clock } = simulation.process('a')
  const outbound: Outbound = async ({ signal }) => {
    await sleep(clock, 2499, signal)
    return { status: 200, headers: {}, body: bytes('{}') }
  }
  const client = createWebhookClient({ clock, outbound })
  const call = { config: url, body: bytes('{}'), timeoutMs: 2500, maxResponseBytes: 100, signal: never }
  assert.deepEqual(await simulation.settle(client(call)), {})
})

const mappings: ReadonlyArray<[texts: string[], port: number, found: string | undefined]> = [
  [['a/b=https://h'], 443, 'https://h'],
  [['a/b=https://h:1/', 'a/b:8443=https://h:2'], 443, 'https://h:1'],
  [['a/b=https://h:1', 'a/b:8443=https://h:2'], 8443, 'https://h:2'],
  [['a/b:8443=https://h:2'], 443, undefined],
  [['a/c=https://h:1'], 443, undefined],
]
for (const [texts, port, found] of mappings) {
  test(`service mappings: ${texts.join(' ')} at ${port}`, () => {
    const resolve = parseServiceMappings(texts)
    assert.ok(typeof resolve === 'function')
    assert.equal(resolve({ namespace: 'a', name: 'b', port }), found)
  })
}

const wrong = ['a/b', 'b=https://h', 'a/b=http://h', 'a/b=https://h/path', 'a/b=https://u@h', 'a/b=https://']
for (const text of wrong) {
  test(`service mappings: ${text} is refused`, () => assert.ok('problem' in parseServiceMappings([text])))
}
test('service mappings: one service has one target', () => {
  assert.deepEqual(parseServiceMappings(['a/b=https://h', 'a/b=https://i']), {
    problem: 'a/b is given twice',
  })
})
