import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { BackendServer, backendGroup } from '../support/backend-server.ts'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { LoneServer, type Protocol } from '../support/lone-server.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { until } from '../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
type Json = any

const services = '/apis/apiregistration.k8s.io/v1/apiservices'
const root = `/apis/${backendGroup}/v1`
const things = `${root}/namespaces/default/things`

describe('aggregation', () => {
  let certificates: Certificates
  let strangers: Certificates
  let backend: BackendServer
  let server: LoneServer

  before(async () => {
    certificates = await createCertificates(['api.shop.svc'])
    strangers = await createCertificates()
    backend = await BackendServer.start(certificates)
    const { clientCertFile, clientKeyFile } = certificates
    server = await LoneServer.start('aggregation', [
      ...[
        '--service-address',
        `shop/api=${backend.origin}`,
        '--service-address',
        `shop/other=${backend.origin}`,
      ],
      ...['--service-address', 'shop/odd:8443=https://127.0.0.1:9'],
      ...['--proxy-client-cert-file', clientCertFile, '--proxy-client-key-file', clientKeyFile],
    ])
    await register(backendGroup, 'api', certificates)
    await available(backendGroup, 'Passed')
  })
  after(async () => {
    await server.stop()
    await backend.stop()
    await certificates.remove()
    await strangers.remove()
  })

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers = {},
    protocol: Protocol = 'HTTP/1.1',
  ) {
    const answer = await server.send(protocol, {
      ...{ method, path, headers: { 'content-type': 'application/json', ...headers } },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const isJson = String(answer.headers['content-type']).includes('json')
    return { ...answer, body: (isJson ? JSON.parse(answer.text) : answer.text) as Json }
  }

  async function register(
    group: string,
    name: string,
    trusted: Certificates,
    more: object = {},
  ): Promise<void> {
    const { status, text } = await send('POST', services, {
      ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: `v1.${group}` } },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 15 },
        ...{ service: { namespace: 'shop', name }, caBundle: Buffer.from(trusted.ca).toString('base64') },
        ...more,
      },
    })
    assert.equal(status, 201, text)
  }

  const conditionOf = async (group: string): Promise<Json> =>
    (await send('GET', `${services}/v1.${group}`)).body.status?.conditions?.[0]
  const available = (group: string, reason: string): Promise<Json> =>
    until(`${group} is ${reason}`, async () => {
      const condition = await conditionOf(group)
      return condition?.reason === reason ? condition : undefined
    })

  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
    test(`${protocol}: the backend learns the user, and no credential`, async () => {
      const { status, body, headers } = await send(
        'GET',
        `${things}/a?x=1&y=%2F`,
        undefined,
        {
          ...{ 'x-remote-user': 'root', 'x-remote-group': 'system:masters', 'x-remote-extra-a': 'b' },
          ...{ cookie: 'a=b', 'audit-id': 'my-id', 'x-plain': 'kept' },
        },
        protocol,
      )
      assert.deepEqual([status, headers['audit-id']], [200, 'my-id'])
      assert.deepEqual([body.url, body.client], [`${things}/a?x=1&y=%2F`, 'client'])
      const seen = body.headers
      for (const name of ['authorization', 'cookie', 'x-remote-extra-a'])
        assert.equal(seen[name], undefined, name)
      assert.deepEqual(seen['x-remote-user'], ['admin'])
      assert.deepEqual(seen['x-remote-group'], ['system:masters', 'system:authenticated'])
      assert.deepEqual(
        [seen['audit-id'], seen['x-plain'], seen.host],
        [['my-id'], ['kept'], ['api.shop.svc:443']],
      )
      assert.deepEqual(seen['x-forwarded-for'], ['127.0.0.1'])
    })
  }

  test('RBAC decides before anything is passed on, below subresources too', async () => {
    const before = backend.seen.length
    const anonymous = { authorization: '' }
    for (const path of [`${things}/a`, `${things}/a/exec/b/c`, things]) {
      assert.equal((await send('GET', path, undefined, anonymous)).status, 403, path)
    }
    const as = { 'impersonate-user': 'eve' }
    const refused = await send('GET', `${things}/a/exec/b/c`, undefined, as)
    assert.equal(refused.status, 403)
    assert.match(refused.body.message, /cannot get resource "things\/exec" in API group "shop\.example\.dev"/)
    assert.equal((await send('GET', `${root}/../v1/things`)).status, 400)
    assert.equal(backend.seen.slice(before).filter(({ url }) => url.startsWith(`${root}/`)).length, 0)
    const discovery = await send('GET', root, undefined, as)
    assert.deepEqual([discovery.status, discovery.body.resources[0].storageVersionHash], [200, 'aBcDeFg='])
    assert.deepEqual(backend.seen.at(-1)?.headers['x-remote-user'], ['eve'])
    assert.equal(backend.seen.at(-1)?.headers['impersonate-user'], undefined)
  })

  test('a large body flows at the pace of its reader, in both directions', async () => {
    const size = 40 * 1024 * 1024
    const reading = Promise.withResolvers<IncomingMessage>()
    const taken = Promise.withResolvers<number>()
    backend.override = (incoming, outgoing) => {
      if (incoming.method !== 'POST') return false
      reading.resolve(incoming)
      let length = 0
      incoming.on('data', (chunk: Buffer) => {
        length += chunk.length
      })
      incoming.on('end', () => {
        taken.resolve(length)
        outgoing.writeHead(200, { 'content-type': 'application/octet-stream' })
        const write = (): void => {
          while (length > 0) {
            const chunk = Buffer.alloc(Math.min(length, 1024 * 1024), 'x')
            length -= chunk.length
            if (!outgoing.write(chunk)) return void outgoing.once('drain', write)
          }
          outgoing.end()
        }
        write()
      })
      incoming.pause()
      return true
    }
    const { outgoing, answered } = open('POST', things, { 'content-length': String(size) })
    const chunk = Buffer.alloc(1024 * 1024, 'y')
    let sent = 0
    const sending = (async () => {
      for (; sent < size; sent += chunk.length) if (!outgoing.write(chunk)) await once(outgoing, 'drain')
      outgoing.end()
    })()
    const stopped = await reading.promise
    for (let turn = 0; turn < 20; turn++) await send('GET', '/livez')
    assert.ok(sent < size, 'the client is held while the backend does not read')
    stopped.resume()
    await sending
    assert.equal(await taken.promise, size)
    const response = await answered
    let received = 0
    for await (const each of response as AsyncIterable<Buffer>) received += each.length
    assert.equal(received, size)
    backend.override = () => false
  })

  function open(method: string, path: string, headers: object = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const outgoing = request({
      ...{ host: '127.0.0.1', port: server.port, ca: server.ca, method, path, agent: false },
      headers: { authorization: `Bearer ${server.token}`, ...headers },
    })
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    promise.catch(() => {})
    return { outgoing, answered: promise }
  }

  test('a watch brings each event at once, and ends at the backend when its client goes', async () => {
    const opened = Promise.withResolvers<{ write(text: string): void; closed: Promise<unknown> }>()
    backend.override = (incoming, outgoing) => {
      if (!incoming.url?.includes('watch=true')) return false
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.flushHeaders()
      opened.resolve({ write: (text) => void outgoing.write(text), closed: once(outgoing, 'close') })
      return true
    }
    const { outgoing, answered } = open('GET', `${things}?watch=true`, { 'accept-encoding': 'gzip' })
    outgoing.end()
    const response = await answered
    const watch = await opened.promise
    for (const event of ['{"type":"ADDED"}\n', '{"type":"DELETED"}\n']) {
      watch.write(event)
      const [chunk] = await once(response, 'data')
      assert.equal(String(chunk), event)
    }
    outgoing.on('error', () => {})
    outgoing.destroy()
    await watch.closed
    backend.override = () => false
  })

  test('a renewed proxy certificate is shown without a restart, and no request is broken off', async () => {
    const { clientCertFile, clientKeyFile, clientCert, clientKey } = certificates
    const opened = Promise.withResolvers<(text: string) => void>()
    backend.override = (incoming, outgoing) => {
      if (!incoming.url?.includes('watch=true')) return false
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.flushHeaders()
      opened.resolve((text) => void outgoing.end(text))
      return true
    }
    const { outgoing, answered } = open('GET', `${things}?watch=true`)
    outgoing.end()
    const response = await answered
    const end = await opened.promise
    const shown = async (): Promise<unknown> => (await send('GET', `${things}/a`)).body.client
    assert.equal(await shown(), 'client')
    // One of another authority: the backend cannot verify it.
    await writeFile(clientCertFile, strangers.clientCert)
    await writeFile(clientKeyFile, strangers.clientKey)
    await until('another certificate is shown', async () => (await shown()) === undefined)
    await writeFile(clientCertFile, clientCert)
    await writeFile(clientKeyFile, clientKey)
    await until('the first is shown again', async () => (await shown()) === 'client')
    end('{"type":"ADDED"}\n')
    let text = ''
    for await (const chunk of response) text += chunk
    assert.equal(text, '{"type":"ADDED"}\n')
    backend.override = () => false
  })

  test('redirects are refused, and other forms of the answer stay as the backend sent them', async () => {
    backend.override = ({ url = '' }, outgoing) => {
      if (!url.startsWith(`${root}/`)) return false
      if (url.endsWith('/redirect')) outgoing.writeHead(307, { location: 'https://evil.example/' }).end()
      else outgoing.writeHead(418, { 'content-type': 'application/json', 'x-own': '1' }).end('{ "a":1 }')
      return true
    }
    const redirect = await send('GET', `${things}/redirect`)
    assert.deepEqual(
      [redirect.status, redirect.text, redirect.headers.location],
      [502, 'the backend attempted to redirect this request, which is not permitted', undefined],
    )
    const plain = await server.send('HTTP/1.1', {
      ...{ method: 'GET', path: `${things}/x`, headers: { accept: 'application/yaml' } },
    })
    assert.deepEqual([plain.status, plain.text, plain.headers['x-own']], [418, '{ "a":1 }', '1'])
    backend.override = () => false
  })

  const upgrade = (path: string, token = server.token): string =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`

  test('an upgrade connects client and backend', async () => {
    const tunnels: Duplex[] = []
    backend.onUpgrade = (_, socket) => {
      tunnels.push(socket)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello ')
      socket.pipe(socket)
    }
    const connection = await RawConnection.open(server.port, server.ca)
    connection.write(upgrade(`${things}/a/exec`))
    await until('the backend greets', () => connection.received.endsWith('hello ') || undefined)
    assert.match(connection.received, /^HTTP\/1\.1 101 Switching Protocols\r\n/)
    connection.write('and back')
    await until('the backend echoes', () => connection.received.endsWith('hello and back') || undefined)
    assert.deepEqual(backend.seen.at(-1)?.headers['x-remote-user'], ['admin'])
    assert.equal(backend.seen.at(-1)?.headers['authorization'], undefined)
    const open = backend.sockets.size
    tunnels[0]?.end('bye')
    await connection.closed
    assert.ok(connection.received.endsWith('bye'), 'the client is left when the backend ends')
    await until('the backend is left', () => backend.sockets.size < open || undefined)
  })

  test('an upgrade that fails leaves no way to the backend (CVE-2018-1002105)', async () => {
    const sockets: Duplex[] = []
    let later = ''
    backend.onUpgrade = (_, socket) => {
      sockets.push(socket)
      socket.on('data', (chunk: Buffer) => {
        later += chunk.toString()
      })
      socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    }
    const connection = await RawConnection.open(server.port, server.ca)
    connection.write(`${upgrade(`${things}/a/exec`)}GET ${things}/secret HTTP/1.1\r\nHost: a\r\n\r\n`)
    await connection.closed
    assert.deepEqual(connection.statuses, [403])
    await until('the connection to the backend is closed', () => sockets[0]?.destroyed || undefined)
    assert.equal(later, '')
    const stranger = await RawConnection.open(server.port, server.ca)
    stranger.write(upgrade(`${things}/a/exec`, 'wrong'))
    await stranger.closed
    assert.deepEqual([stranger.statuses, sockets.length], [[401], 1])
  })

  const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }
  const discovered = async (group: string): Promise<Json> => {
    const { items } = (await send('GET', '/apis', undefined, aggregated)).body
    return items.find(({ metadata }: Json) => metadata.name === group)?.versions[0]
  }

  test('both forms of discovery show the resources of the backend', async () => {
    const version = await discovered(backendGroup)
    assert.deepEqual(
      [version.freshness, version.resources[0].resource, version.resources[0].subresources[0].subresource],
      ['Current', 'things', 'exec'],
    )
    const { groups } = (await send('GET', '/apis')).body
    const names: string[] = groups.map(({ name }: Json) => name)
    assert.ok(names.indexOf(backendGroup) > names.indexOf('apps'), 'by the priority of its APIService')
    const group = (await send('GET', `/apis/${backendGroup}`)).body
    assert.deepEqual(group.preferredVersion, { groupVersion: `${backendGroup}/v1`, version: 'v1' })
  })

  test('a backend that lies in discovery speaks for its own version only', async () => {
    const secrets = { resource: 'secrets', scope: 'Namespaced', verbs: ['get'] }
    const liar = (name: string) => ({
      metadata: { name },
      versions: [{ version: 'v1', resources: [secrets] }],
    })
    backend.aggregated = {
      ...{ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' },
      items: [liar(''), liar('apps'), liar('lying.example.dev')],
    }
    backend.override = ({ url = '' }, outgoing) => {
      if (url !== '/apis/lying.example.dev/v1') return false
      outgoing.writeHead(200).end('{}')
      return true
    }
    await register('lying.example.dev', 'api', certificates)
    await available('lying.example.dev', 'Passed')
    const version = await discovered('lying.example.dev')
    assert.deepEqual(
      version.resources.map(({ resource }: Json) => resource),
      ['secrets'],
    )
    const apps = await discovered('apps')
    assert.ok(!apps?.resources?.some(({ resource }: Json) => resource === 'secrets'))
    backend.aggregated = undefined
    backend.override = () => false
  })

  test('conditions say why a backend is not available, and other groups do not notice', async () => {
    await register('strange.example.dev', 'api', strangers)
    await register('other-name.example.dev', 'other', certificates)
    await register('odd-port.example.dev', 'odd', certificates)
    await register('missing.example.dev', 'none', certificates)
    await register('skipped.example.dev', 'other', certificates, {
      caBundle: null,
      insecureSkipTLSVerify: true,
    })
    const reasons: ReadonlyArray<[group: string, reason: string, message: RegExp]> = [
      ['strange', 'FailedDiscoveryCheck', /: x509: certificate signed by unknown authority$/],
      [
        'other-name',
        'FailedDiscoveryCheck',
        /x509: certificate is valid for .*api\.shop\.svc, not other\.shop\.svc$/,
      ],
      ['odd-port', 'ServicePortError', /^service\/odd in "shop" is not listening on port 443$/],
      ['missing', 'ServiceNotFound', /^service\/none in "shop" is not present$/],
      [
        'skipped',
        'FailedDiscoveryCheck',
        /: bad status from https:\S+\/apis\/skipped\.example\.dev\/v1: 404$/,
      ],
    ]
    for (const [group, reason, message] of reasons) {
      assert.match((await available(`${group}.example.dev`, reason)).message, message)
      const refused = await send('GET', `/apis/${group}.example.dev/v1/things`)
      assert.deepEqual([refused.status, refused.body], [503, 'service unavailable\n'])
      const {
        'content-type': type,
        'x-content-type-options': sniffing,
        'retry-after': later,
      } = refused.headers
      assert.deepEqual([type, sniffing, later], ['text/plain; charset=utf-8', 'nosniff', undefined])
      assert.deepEqual(
        [refused.headers['cache-control'], typeof refused.headers['audit-id']],
        ['no-cache, private', 'string'],
      )
      assert.deepEqual(await discovered(`${group}.example.dev`), { version: 'v1', freshness: 'Stale' })
    }
    assert.equal((await send('GET', `${things}/a`)).status, 200)
    assert.equal((await send('GET', '/readyz')).status, 200)
  })

  test('a backend that is gone answers 503 with the reason, and returns by itself', async () => {
    const { port } = backend
    await backend.stop()
    const refused = await send('GET', `${things}/a`)
    assert.deepEqual(
      [refused.status, refused.body],
      [503, `dial tcp 127.0.0.1:${port}: connect: connection refused\n`],
    )
    backend = await BackendServer.start(certificates, port)
    assert.equal((await send('GET', `${things}/a`)).status, 200)
  })
})
