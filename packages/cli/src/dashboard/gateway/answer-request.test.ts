import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type HttpRequest,
  type HttpResponse,
  readAll,
  type Transport,
  TransportError,
  utf8,
} from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { unpackAssets } from '../assets/packed-assets.ts'
import { answerRequest } from './answer-request.ts'
import type { GatewayRequest } from './gateway-request.ts'
import { SignIn } from './sign-in.ts'
import { SignInLinks } from './sign-in-links.ts'

const answer = (status: number, value: unknown, headers: HttpResponse['headers'] = {}): HttpResponse => ({
  ...{ status, headers: { 'content-type': 'application/json', ...headers } },
  body: utf8.encode(JSON.stringify(value)),
})
const signal = new AbortController().signal

function start(transport: Transport, more: { allowWrites?: boolean; servers?: number } = {}) {
  const simulation = new Simulation('gateway')
  const { clock, random } = simulation.process('gateway')
  const signIn = new SignIn({ clock, random })
  const printed: string[] = []
  const asked: HttpRequest[] = []
  const links = new SignInLinks({ signIn, clock, url: () => '/', print: (link) => printed.push(link) })
  const { servers = 1, allowWrites = false } = more
  const parts = {
    ...{ signIn, links, allowWrites, cluster: 'blue', loadAssets: async () => unpackAssets({}) },
    rehearsals: async () => answer(200, { rehearsals: [] }),
    upstream: {
      transport: (request: HttpRequest) => {
        asked.push(request)
        return transport(request)
      },
      ...{ servers, clock },
    },
  }
  const token = ((exchange) => (exchange.outcome === 'signed-in' ? exchange.token : ''))(
    signIn.exchange(signIn.createCode()),
  )
  const send = async (method: string, target: string, asks: { headers?: object; body?: string } = {}) => {
    const request: GatewayRequest = {
      ...{ method, target, signal },
      headers: { host: '127.0.0.1:1', authorization: `Bearer ${token}`, ...asks.headers },
      readBody: async () => utf8.encode(asks.body ?? ''),
    }
    const { status, headers, body } = await answerRequest(request, parts)
    const text = utf8.decode(await readAll(body))
    return { status, headers, text, json: () => JSON.parse(text) }
  }
  return { simulation, send, asked, printed, signIn }
}

describe('the gateway passes on', () => {
  test('what the page asks for, and nothing of who asks', async () => {
    const { send, asked } = start(async () => answer(200, { items: [] }))
    const headers = {
      accept: 'application/json',
      cookie: 'a=b',
      origin: 'http://127.0.0.1:1',
      'impersonate-user': 'admin',
      'x-remote-user': 'admin',
      'x-forwarded-for': '192.0.2.1',
      'user-agent': 'a browser',
    }
    const { status, text } = await send('GET', '/api/v1/namespaces?limit=1', { headers })
    assert.deepEqual([status, text], [200, '{"items":[]}'])
    const [{ method, target, headers: sent } = assert.fail()] = asked
    assert.deepEqual([method, target], ['GET', '/api/v1/namespaces?limit=1'])
    assert.deepEqual(sent, { accept: 'application/json', 'user-agent': 'strata-dashboard' })
  })

  test('what the page may use of an answer', async () => {
    const upstream = {
      'set-cookie': 'a=b',
      'access-control-allow-origin': '*',
      'cache-control': 'public',
      location: 'https://evil.example',
      warning: ['299 - "deprecated"'],
      'audit-id': 'x',
    }
    const { send } = start(async () => answer(200, {}, upstream))
    const { headers } = await send('GET', '/api/v1/namespaces')
    assert.deepEqual(headers, {
      'content-type': 'application/json',
      warning: ['299 - "deprecated"'],
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    })
  })

  test('a body, if it may write', async () => {
    const { send, asked } = start(async () => answer(201, {}), { allowWrites: true })
    await send('POST', '/api/v1/namespaces', {
      body: '{"kind":"Namespace"}',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(utf8.decode(asked[0]?.body ?? new Uint8Array()), '{"kind":"Namespace"}')
  })

  test('nothing that was denied', async () => {
    const { send, asked } = start(async () => answer(200, {}))
    assert.equal((await send('DELETE', '/api/v1/namespaces/a')).json().reason, 'Forbidden')
    assert.equal((await send('GET', '/api', { headers: { authorization: 'Bearer wrong' } })).status, 401)
    assert.equal((await send('GET', '/api', { headers: { host: 'evil.example' } })).status, 421)
    assert.deepEqual(asked, [])
  })
})

describe('a cluster that fails', () => {
  test('refuses the credentials of the kubeconfig: the page stays signed in', async () => {
    const { send } = start(async () => answer(401, { kind: 'Status', code: 401 }))
    const { status, json } = await send('GET', '/api')
    assert.deepEqual([status, json().reason], [502, 'CredentialsRefused'])
  })

  test('does not answer: the page is told why', async () => {
    const { send } = start(async () => {
      throw new TransportError('GET https://127.0.0.1:6443: connect ECONNREFUSED', 'no')
    })
    const { status, headers, json } = await send('GET', '/api')
    assert.deepEqual([status, headers['retry-after'], json().kind], [503, '1', 'Status'])
    assert.match(json().message, /^the cluster cannot be reached: .*ECONNREFUSED; is the server running\?$/)
  })

  const frozenFirst = (): Transport => {
    let asked = 0
    return ({ signal: stop }) =>
      asked++ > 0
        ? Promise.resolve(answer(200, { asked }))
        : new Promise((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)))
  }

  test('is frozen: a read goes on to the next server', async () => {
    const { send, simulation } = start(frozenFirst(), { servers: 2 })
    const sent = send('GET', '/api')
    await simulation.run({ untilMs: simulation.nowMs + 5_100 })
    assert.deepEqual((await sent).json(), { asked: 2 })
  })

  test('is frozen: a write, which may have been done, does not', async () => {
    const { send, simulation, asked } = start(frozenFirst(), { servers: 2, allowWrites: true })
    const sent = send('POST', '/api/v1/namespaces')
    await simulation.run({ untilMs: simulation.nowMs + 301_000 })
    assert.deepEqual([(await sent).status, asked.length], [504, 1])
  })
})

describe('a session', () => {
  const review = async () => answer(201, { status: { userInfo: { username: 'jane' } } })

  test('a link is exchanged for a token, once', async () => {
    const { send, signIn, asked } = start(review)
    const body = JSON.stringify({ code: signIn.createCode() })
    const { status, headers, json } = await send('POST', '/dashboard/session', {
      body,
      headers: { authorization: '' },
    })
    const { token, ...facts } = json()
    assert.equal(status, 200)
    assert.match(token, /^[\w-]{43}$/)
    assert.deepEqual(facts, {
      kind: 'gateway',
      signedIn: true,
      user: 'jane',
      cluster: 'blue',
      allowWrites: false,
      playground: false,
    })
    assert.deepEqual([headers['cache-control'], headers['set-cookie']], ['no-store', undefined])
    assert.deepEqual(
      asked.map(({ method, target }) => `${method} ${target}`),
      ['POST /apis/authentication.k8s.io/v1/selfsubjectreviews'],
    )
    const again = await send('POST', '/dashboard/session', { body, headers: { authorization: '' } })
    assert.deepEqual([again.status, again.json().reason], [401, 'Unauthorized'])
  })

  test('a cluster that does not name users is no problem', async () => {
    const { send } = start(async () => answer(404, {}))
    assert.equal((await send('GET', '/dashboard/session')).json().user, '')
  })

  test('bodies that are no code are refused', async () => {
    const { send } = start(review)
    for (const body of ['', '{', 'null', '[]', '{"code":1}', '{"code":["a"]}', '"x"'])
      assert.equal((await send('POST', '/dashboard/session', { body })).status, 401, body)
  })

  test('too many tries are told to wait', async () => {
    const { send } = start(review)
    const tries = []
    for (let at = 0; at < 12; at++)
      tries.push(await send('POST', '/dashboard/session', { body: '{"code":"x"}' }))
    const { status, headers } = tries.at(-1) ?? assert.fail()
    assert.deepEqual([status, headers['retry-after']], [429, '2'])
  })

  test('a page that starts learns whether its token is good', async () => {
    const { send } = start(review)
    assert.equal((await send('GET', '/dashboard/session')).json().signedIn, true)
    const other = await send('GET', '/dashboard/session', { headers: { authorization: 'Bearer old' } })
    assert.deepEqual([other.status, other.json()], [200, { kind: 'gateway', signedIn: false }])
  })

  test('signing out ends it', async () => {
    const { send } = start(review)
    assert.equal((await send('DELETE', '/dashboard/session')).status, 200)
    assert.equal((await send('GET', '/api')).status, 401)
  })

  test('another link is shown in the terminal only', async () => {
    const { send, printed } = start(review)
    const { status, text } = await send('POST', '/dashboard/link', { headers: { authorization: '' } })
    assert.deepEqual([status, text, printed.length], [202, '{}', 1])
  })
})
