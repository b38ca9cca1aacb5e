import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { freePorts } from '../support/free-ports.ts'
import { readLines } from '../support/read-lines.ts'
import { StrataProcess, untilReady } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

describe('strata dashboard, before two servers', () => {
  let home = ''
  let ports: readonly number[] = []
  let servers: readonly StrataProcess[] = []
  let dashboard: StrataProcess
  let token = ''

  const port = (): number => ports[2] ?? 0
  const ask = async (
    path: string,
    { method = 'GET', headers, body }: Sent = {},
  ): Promise<IncomingMessage> => {
    const sent = request({
      ...{ host: '127.0.0.1', port: port(), path, method },
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }
  const read = async (path: string, sent: Sent = {}) => {
    const answer = await ask(path, sent)
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(await readText(answer)) }
  }
  const watch = async () => {
    const watches = [{ id: 'all', path: '/api/v1/namespaces?watch=1' }]
    return ask('/dashboard/watches', { method: 'POST', body: { watches } })
  }

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-gateway-'))
    ports = await freePorts(3)
    const flags = ['--data-dir', home, '--storage-version-coordination', 'report']
    servers = ports.slice(0, 2).map((each, index) => {
      const own = ['--secure-port', String(each), '--instance', `strata-${index + 1}`]
      return new StrataProcess(`server ${index + 1}`, ['serve', ...flags, ...own])
    })
    const pki = (file: string) =>
      until(file, () => readFile(join(home, 'pki', file), 'utf8').catch(() => undefined))
    const access = { ca: await pki('ca.crt'), token: (await pki('admin.token')).trim() }
    for (const [index, server] of servers.entries())
      await untilReady(server, { url: `https://127.0.0.1:${ports[index]}`, ...access })
    const kubeconfig = join(home, 'two.kubeconfig')
    await writeFile(kubeconfig, twoServers(ports, access))
    dashboard = new StrataProcess('dashboard', [
      'dashboard',
      '--kubeconfig',
      kubeconfig,
      '--port',
      String(port()),
      '-v',
    ])
    await until('the link is shown', () => /#code=[\w-]+/.test(dashboard.stdout))
  })
  after(async () => {
    for (const each of [...servers, dashboard]) if (each?.running) each.signal('SIGKILL')
    await Promise.all([...servers, dashboard].map((each) => each?.ended()))
    await rm(home, { recursive: true, force: true })
  })

  test('its link signs in once, and is told to the terminal only', async () => {
    assert.match(dashboard.stdout, /^The dashboard of a, read-only\.\n/)
    const [, code] = /#code=([\w-]+)/.exec(dashboard.stdout) ?? []
    const exchange = () => read('/dashboard/session', { method: 'POST', body: { code } })
    const { status, body } = await exchange()
    assert.deepEqual([status, body.user, body.allowWrites, body.playground], [200, 'admin', false, false])
    assert.equal((await exchange()).status, 401)
    token = body.token
    assert.equal(dashboard.output.split(code ?? '-').length, 2)
    assert.ok(!dashboard.output.includes(token))
  })

  test('it passes on what reads, and only for a session of its own page', async () => {
    const namespaces = '/api/v1/namespaces'
    assert.equal((await read(namespaces)).body.kind, 'NamespaceList')
    const refused: ReadonlyArray<[want: number, sent: Sent]> = [
      [401, { headers: { authorization: '' } }],
      [401, { headers: { authorization: '', cookie: `token=${token}; session=${token}; ${token}` } }],
      [421, { headers: { host: `evil.example:${port()}` } }],
      [403, { headers: { origin: 'http://evil.example' } }],
      [403, { headers: { 'sec-fetch-site': 'cross-site' } }],
      [403, { method: 'POST', body: { metadata: { name: 'mine' } } }],
      [403, { method: 'DELETE' }],
      [405, { method: 'OPTIONS' }],
    ]
    for (const [want, sent] of refused) {
      const { status, body, headers } = await read(namespaces, sent)
      assert.deepEqual([status, body.kind], [want, 'Status'], JSON.stringify(sent))
      assert.equal(headers['access-control-allow-origin'], undefined)
    }
    assert.equal((await read('/api/v1/secrets')).status, 403)
    assert.equal((await read('/metrics')).status, 404)
  })

  test('it serves the page, with a strict policy', async () => {
    const { headers, statusCode } = await ask('/dashboard/', { headers: { authorization: '' } })
    assert.equal(statusCode, 200)
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/)
  })

  test('it speaks no other protocol, and not to other machines', async () => {
    const upgrade = request({
      ...{ host: '127.0.0.1', port: port(), path: '/api/v1/namespaces?watch=1' },
      headers: { authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade: 'websocket' },
    })
    upgrade.end()
    await assert.rejects(once(upgrade, 'upgrade'), /socket hang up|ECONNRESET/)
    const others = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    for (const { address } of others.filter(({ internal, family }) => !internal && family === 'IPv4')) {
      const socket = connect({ host: address, port: port() })
      await assert.rejects(once(socket, 'connect'), /ECONNREFUSED/, address)
    }
  })

  test('watches go on at the other server when one is killed; without any, the page is told', async () => {
    const first = readLines(await watch())
    const begun = JSON.parse((await first.next()).value ?? '')
    assert.deepEqual([begun.id, begun.event.type], ['all', 'ADDED'])
    servers[0]?.signal('SIGKILL')
    let last = ''
    for await (const line of first) last = line
    assert.match(last, /^\{"id":"all","(?:ended":true|status":\{.*)\}$/)
    const again = readLines(await watch())
    assert.equal(JSON.parse((await again.next()).value ?? '').event.type, 'ADDED')
    servers[1]?.signal('SIGKILL')
    await servers[1]?.ended()
    const { status, body } = await read('/version')
    assert.deepEqual([status, body.reason], [503, 'ServiceUnavailable'])
    assert.match(body.message, /^the cluster cannot be reached: .*is the server running\?$/)
  })

  test('it ends by a signal, and its sessions with it', async () => {
    dashboard.signal('SIGTERM')
    assert.deepEqual(await dashboard.ended(), { code: 0, signal: null })
  })
})

function twoServers(ports: readonly number[], { ca, token }: { ca: string; token: string }): string {
  const names = ['a', 'b']
  const authority = Buffer.from(ca).toString('base64')
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    clusters: names.map((name, index) => ({
      name,
      cluster: { server: `https://127.0.0.1:${ports[index]}`, 'certificate-authority-data': authority },
    })),
    users: [{ name: 'admin', user: { token } }],
    contexts: names.map((name) => ({ name, context: { cluster: name, user: 'admin' } })),
  })
}
