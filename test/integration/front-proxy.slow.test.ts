import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:http2'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { type Issued, TestAuthority } from '../support/authorities.ts'
import { BackendServer, backendGroup } from '../support/backend-server.ts'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { LoneServer, type Protocol } from '../support/lone-server.ts'
import { until } from '../support/until.ts'

const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
const reviewPath = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const services = '/apis/apiregistration.k8s.io/v1/apiservices'
const thing = `/apis/${backendGroup}/v1/namespaces/default/things/a`

/** What a client sends that wants to be another user. */
const claims = {
  'x-remote-user': Buffer.from('zoë').toString('latin1'),
  'x-remote-uid': '7',
  'x-remote-group': ['system:masters', 'a,b'],
  'x-remote-extra-acme.io%2Fx': 'y',
  'x-front-user': 'root',
}
type Headers = Readonly<Record<string, string | readonly string[]>>

describe('front proxies', () => {
  let directory: string
  let backendCertificates: Certificates
  let backend: BackendServer
  let server: LoneServer
  const credentials: Record<string, Issued> = {}

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'strata-front-proxy-'))
    backendCertificates = await createCertificates(['api.shop.svc'])
    backend = await BackendServer.start(backendCertificates)
    const clients = await TestAuthority.create('clients')
    const proxies = await TestAuthority.create('proxies')
    const foreign = await TestAuthority.create('foreign')
    const middle = await clients.below('middle')
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(directory, name), text)
      return join(directory, name)
    }
    const masters = { organization: 'system:masters' }
    const below = await middle.issue('below', masters)
    Object.assign(credentials, {
      client: await clients.issue('ann', masters),
      'client named front': await clients.issue('front', masters),
      'client of an intermediate': { ...below, cert: below.cert + middle.cert },
      front: await proxies.issue('front'),
      'other name': await proxies.issue('other', masters),
      'expired front': await proxies.issue('front', { from: -3, to: -1 }),
      foreign: await foreign.issue('front', masters),
    })
    server = await LoneServer.start('front-proxy', [
      ...['--client-ca-file', await file('clients.crt', clients.cert)],
      ...['--requestheader-client-ca-file', await file('proxies.crt', proxies.cert)],
      ...['--requestheader-allowed-names', 'someone,front'],
      ...['--requestheader-username-headers', 'X-Remote-User,X-Front-User'],
      ...['--service-address', `shop/api=${backend.origin}`],
    ])
    const { ca } = backendCertificates
    const { status, text } = await server.send('HTTP/1.1', {
      ...{ method: 'POST', path: services, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({
        ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
        metadata: { name: `v1.${backendGroup}` },
        spec: {
          ...{ group: backendGroup, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 15 },
          ...{ service: { namespace: 'shop', name: 'api' }, caBundle: Buffer.from(ca).toString('base64') },
        },
      }),
    })
    assert.equal(status, 201, text)
    await until('the backend is available', async () => {
      const answer = await server.send('HTTP/1.1', { method: 'GET', path: thing })
      return answer.status === 200 || undefined
    })
  })
  after(async () => {
    await server.stop()
    await backend.stop()
    await backendCertificates.remove()
    await rm(directory, { recursive: true, force: true })
  })

  interface Asked {
    readonly as?: string | undefined
    readonly headers: Headers
    readonly path?: string
    readonly agent?: Agent
  }

  function sendHttp1({ as, headers, path = reviewPath, agent }: Asked): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const { port, ca } = server
    const isReview = path === reviewPath
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port, ca, path, method: isReview ? 'POST' : 'GET' },
        ...(as === undefined ? {} : credentials[as]),
        agent: agent ?? new Agent({ keepAlive: false }),
        headers: headers as Record<string, string | string[]>,
      },
      (incoming) => {
        incoming.setEncoding('utf8')
        let text = ''
        incoming.on('data', (chunk: string) => {
          text += chunk
        })
        incoming.on('end', () => resolve(text))
      },
    )
    outgoing.on('error', reject)
    // As bytes: Node would send the head in the encoding of a text.
    outgoing.end(isReview ? Buffer.from(review) : undefined)
    return promise
  }

  function sendHttp2({ as, headers, path = reviewPath }: Asked): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const { port, ca } = server
    const session = connect(`https://127.0.0.1:${port}`, { ca, ...(as === undefined ? {} : credentials[as]) })
    session.on('error', reject)
    const isReview = path === reviewPath
    const stream = session.request({
      ...{ ':method': isReview ? 'POST' : 'GET', ':path': path },
      ...(headers as Record<string, string | string[]>),
    })
    stream.setEncoding('utf8')
    let text = ''
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    stream.on('end', () => resolve(text))
    stream.on('error', reject)
    stream.end(isReview ? review : undefined)
    return promise.finally(() => session.destroy())
  }

  const send = (protocol: Protocol, asked: Asked): Promise<string> =>
    protocol === 'HTTP/2' ? sendHttp2(asked) : sendHttp1(asked)

  /** Who the server takes the client for, or how it refuses. */
  async function seen(protocol: Protocol, asked: Asked, hasToken = false): Promise<string> {
    const authorization = hasToken ? { authorization: `Bearer ${server.token}` } : {}
    const headers = { 'content-type': 'application/json', ...authorization, ...asked.headers }
    const answer = JSON.parse(await send(protocol, { ...asked, headers }))
    if (answer.kind === 'Status') return /User "([^"]*)"/.exec(answer.message)?.[1] ?? String(answer.code)
    const { username, uid = '', groups, extra = {} } = answer.status.userInfo
    const more = Object.entries(extra).filter(([key]) => !key.endsWith('credential-id'))
    return [username, uid, groups.join('|'), ...more.flat(2)].filter((each) => each !== '').join(' ')
  }

  const named = 'zoë 7 system:masters|a,b|system:authenticated acme.io/x y'
  const masters = 'system:masters|system:authenticated'
  const admin = `admin admin ${masters}`
  const rows: ReadonlyArray<[as: string | undefined, hasToken: boolean, headers: Headers, want: string]> = [
    ['front', false, claims, named],
    ['front', true, claims, named],
    ['front', false, { 'x-front-user': 'bob' }, 'bob system:authenticated'],
    ['front', false, {}, '401'],
    ['front', false, { 'x-remote-group': 'system:masters' }, '401'],
    ['front', true, {}, admin],
    [undefined, false, claims, 'system:anonymous'],
    [undefined, true, claims, admin],
    ['client', false, claims, `ann ${masters}`],
    ['client', true, claims, `ann ${masters}`],
    ['client named front', false, claims, `front ${masters}`],
    ['client of an intermediate', false, claims, `below ${masters}`],
    ['other name', false, claims, '401'],
    ['other name', true, claims, admin],
    ['expired front', false, claims, '401'],
    ['foreign', false, claims, '401'],
    ['foreign', true, claims, admin],
  ]
  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
    for (const [as, hasToken, headers, want] of rows) {
      const how = [as ?? 'no certificate', hasToken ? ' and a token' : ''].join('')
      test(`${protocol}: ${how}, with ${Object.keys(headers).join(', ') || 'no claim'}: ${want}`, async () =>
        assert.equal(await seen(protocol, { as, headers }, hasToken), want))
    }

    test(`${protocol}: the backend learns the user, and no claim`, async () => {
      for (const [as, user] of [
        ['client', ['ann']],
        ['front', [claims['x-remote-user']]],
      ] as const) {
        const { headers } = JSON.parse(await send(protocol, { as, headers: claims, path: thing }))
        assert.deepEqual([headers['x-remote-user'], headers['x-front-user']], [user, undefined])
      }
    })
  }

  test('a resumed session is what the first one was', async () => {
    const whoIs = {
      front: named,
      client: `ann ${masters}`,
      'client of an intermediate': `below ${masters}`,
      'other name': '401',
    }
    for (const [as, want] of Object.entries(whoIs)) {
      const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 })
      for (let turn = 0; turn < 3; turn++) {
        assert.equal(await seen('HTTP/1.1', { as, headers: claims, agent }), want, `${as}, ${turn}`)
      }
    }
  })

  test('an upgrade carries the name of its client, too', async () => {
    backend.onUpgrade = (_, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    }
    for (const [as, user] of [
      ['client', 'ann'],
      ['front', claims['x-remote-user']],
      ['other name', undefined],
      ['foreign', undefined],
    ] as const) {
      const before = backend.seen.length
      const { port, ca } = server
      const socket = connectTls({ host: '127.0.0.1', port, ca, ...credentials[as] })
      let answer = ''
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1')
      })
      const head = ['Host: x', 'Connection: Upgrade', 'Upgrade: x']
      const claimed = Object.entries(claims).flatMap(([name, value]) =>
        [value].flat().map((each) => `${name}: ${each}`),
      )
      socket.write(`GET ${thing}/exec HTTP/1.1\r\n${[...head, ...claimed].join('\r\n')}\r\n\r\n`, 'latin1')
      await new Promise((resolve) => socket.on('close', resolve))
      const [status] = /(?<=^HTTP\/1.1 )\d+/.exec(answer) ?? []
      const upgrades = backend.seen.slice(before).filter(({ url }) => url.endsWith('/exec'))
      assert.equal(status, user === undefined ? '401' : '101', `${as}: ${answer}`)
      assert.deepEqual(
        upgrades.map(({ headers }) => [headers['x-remote-user'], headers['x-front-user']]),
        user === undefined ? [] : [[[user], undefined]],
      )
    }
  })

  test('a request-header CA that signs clients too needs names, else the server does not start', async () => {
    const same = join(directory, 'clients.crt')
    const flags = ['--client-ca-file', same, '--requestheader-client-ca-file', same]
    await assert.rejects(LoneServer.start('front-proxy-same', flags), /contain overlapping certificates/)
  })
})
