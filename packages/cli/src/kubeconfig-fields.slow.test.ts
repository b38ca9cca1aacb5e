import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createProxyServer, type IncomingHttpHeaders } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { Simulation } from '@strata/world/sim'
import { type Certificates, createCertificates } from '../../../test/support/certificates.ts'
import { type AccessFlags, decideAccess } from './connection/access-flags.ts'
import { connectAccess } from './connection/exec-credential.ts'
import { loadAccess } from './connection/kubeconfig.ts'

interface Seen {
  readonly headers: IncomingHttpHeaders
  /** The common name of the client certificate. */
  readonly certificate: string | undefined
}

/** What each field of a kubeconfig makes of a request. docs/kubeconfig.md has the same list. */
describe('kubeconfig: its fields', () => {
  let certificates: Certificates
  let server: Server
  let home = ''
  let port = 0
  const seen: Seen[] = []
  /** What the proxy was asked for, with its Proxy-Authorization. */
  const tunnels: string[] = []
  const proxy = createProxyServer().on('connect', (request, socket, head) => {
    tunnels.push([request.url, request.headers['proxy-authorization']].filter(Boolean).join(' '))
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      socket.pipe(target).pipe(socket)
    })
    const end = (): void => {
      target.destroy()
      socket.destroy()
    }
    target.on('error', end)
    socket.on('error', end)
  })

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-fields-'))
    certificates = await createCertificates(['inside.example'])
    const { serverCertFile, serverKeyFile, ca } = certificates
    const tls = { cert: await readFile(serverCertFile), key: await readFile(serverKeyFile), ca }
    server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      const name = (request.socket as TLSSocket).getPeerCertificate()?.subject?.CN
      seen.push({ headers: request.headers, certificate: Array.isArray(name) ? name[0] : name })
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    await writeFile(join(home, 'token'), 'from a file\n')
    await writeFile(join(home, 'client.crt'), certificates.clientCert)
    await writeFile(join(home, 'client.key'), certificates.clientKey)
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' }
    const plugin = `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" > ${home}/info\necho '${JSON.stringify({ ...credential, status: { token: 'of the plugin' } })}'\n`
    await writeFile(join(home, 'plugin'), plugin)
    await chmod(join(home, 'plugin'), 0o755)
  })
  after(async () => {
    for (const each of [server, proxy]) {
      each.close()
      each.closeAllConnections()
    }
    await Promise.all([certificates.remove(), rm(home, { recursive: true, force: true })])
  })

  const proxyUrl = (login = ''): string => `http://${login}127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: './plugin',
    provideClusterInfo: true,
  }
  const extension = { name: 'client.authentication.k8s.io/exec', extension: { region: 'x' } }

  interface Case {
    readonly cluster?: () => object
    readonly user?: object
    readonly flags?: AccessFlags
    readonly environment?: () => Readonly<Record<string, string>>
    /** Headers of the request; null: it has none of that name. */
    readonly headers?: Readonly<Record<string, string | null>>
    readonly certificate?: RegExp
    readonly through?: RegExp
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const cases: Readonly<Record<string, Case>> = {
    token: { user: { token: 't' }, headers: bearer('t') },
    tokenFile: { user: { tokenFile: 'token' }, headers: bearer('from a file') },
    'tokenFile comes before token': {
      user: { tokenFile: 'token', token: 't' },
      headers: bearer('from a file'),
    },
    'a tokenFile that is not there, beside a token': {
      ...{ user: { tokenFile: 'gone', token: 't' }, headers: bearer('t') },
    },
    'username and password': {
      user: { username: 'eve', password: 'p:w' },
      headers: { authorization: `Basic ${Buffer.from('eve:p:w').toString('base64')}` },
    },
    'client-certificate and client-key': {
      user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' },
      ...{ certificate: /./, headers: { authorization: null } },
    },
    'as, as-groups, as-uid and as-user-extra': {
      user: {
        token: 't',
        as: 'eve',
        'as-groups': ['a', 'b'],
        'as-uid': '7',
        'as-user-extra': { 'x/y': ['1'] },
      },
      headers: {
        ...{ 'impersonate-user': 'eve', 'impersonate-group': 'a, b', 'impersonate-uid': '7' },
        'impersonate-extra-x%2fy': '1',
      },
    },
    'exec, beside the kubeconfig': { user: { exec }, headers: bearer('of the plugin') },
    'proxy-url': { cluster: () => ({ 'proxy-url': proxyUrl() }), through: /^127\.0\.0\.1:\d+$/ },
    'proxy-url with a password': {
      cluster: () => ({ 'proxy-url': proxyUrl('me:secret@') }),
      through: /^127\.0\.0\.1:\d+ Basic bWU6c2VjcmV0$/,
    },
    HTTPS_PROXY: {
      cluster: () => ({ server: 'https://inside.example:6443' }),
      environment: () => ({ HTTPS_PROXY: proxyUrl() }),
      through: /^inside\.example:6443$/,
    },
    'proxy-url and tls-server-name': {
      cluster: () => ({ 'proxy-url': proxyUrl(), 'tls-server-name': 'inside.example' }),
      through: /^127\.0\.0\.1:\d+$/,
    },
    '--as, --as-group and --as-uid': {
      ...{ user: { as: 'adam', 'as-groups': ['a'] }, flags: { as: 'eve', asGroup: ['b', 'c'], asUid: '8' } },
      headers: { 'impersonate-user': 'eve', 'impersonate-group': 'b, c', 'impersonate-uid': '8' },
    },
    '--token replaces the plugin': { user: { exec }, flags: { token: 'given' }, headers: bearer('given') },
    '--token replaces the file': {
      ...{ user: { tokenFile: 'token' }, flags: { token: 'given' }, headers: bearer('given') },
    },
    '--tls-server-name': {
      ...{ cluster: () => ({ 'tls-server-name': 'wrong' }), flags: { tlsServerName: 'inside.example' } },
    },
    '--insecure-skip-tls-verify': {
      cluster: () => ({ 'certificate-authority': undefined }),
      flags: { insecureSkipTlsVerify: true },
    },
  }
  for (const [name, { cluster, user = {}, flags = {}, environment, headers = {}, ...want }] of Object.entries(
    cases,
  )) {
    test(name, async () => {
      await send({ cluster: cluster?.() ?? {}, user, flags, environment: environment?.() ?? {} })
      const [request] = seen.splice(0)
      for (const [header, value] of Object.entries(headers))
        assert.equal(request?.headers[header] ?? null, value, header)
      if (want.certificate) assert.match(request?.certificate ?? '', want.certificate)
      const [tunnel] = tunnels.splice(0)
      if (want.through) assert.match(tunnel ?? 'no tunnel', want.through)
      else assert.equal(tunnel, undefined)
    })
  }

  test('exec with provideClusterInfo: the plugin is told of the cluster, with its extension', async () => {
    await send({ cluster: { extensions: [extension] }, user: { exec } })
    seen.splice(0)
    const { spec } = JSON.parse(await readFile(join(home, 'info'), 'utf8'))
    assert.equal(spec.interactive, false)
    assert.deepEqual(spec.cluster.config, { region: 'x' })
    assert.match(spec.cluster.server, /^https:\/\/127\.0\.0\.1:/)
  })

  const refusals: readonly [name: string, user: object, flags: AccessFlags, message: RegExp][] = [
    [
      'auth-provider',
      { 'auth-provider': { name: 'gcp' } },
      {},
      /users\[u\] uses auth-provider, .*; use exec, a token/,
    ],
    [
      'groups without a user',
      { 'as-groups': ['a'] },
      {},
      /users\[u\]: as-groups, .* need "as", the name of a user$/,
    ],
    ['--as-group without --as', {}, { asGroup: ['a'] }, /name a user too: --as, or "as"/],
    [
      '--insecure-skip-tls-verify with an authority',
      {},
      { insecureSkipTlsVerify: true },
      /not allowed; leave the flag/,
    ],
    [
      'a plugin that asks, without a terminal',
      { exec: { ...exec, interactiveMode: 'Always' } },
      {},
      /no terminal$/,
    ],
    [
      'a token file that is not there',
      { tokenFile: 'gone' },
      {},
      /tokenFile \S+gone cannot be read \(ENOENT\)$/,
    ],
  ]
  for (const [name, user, flags, message] of refusals) {
    test(`${name} is refused with advice`, () =>
      assert.rejects(send({ user, flags }), { name: 'CliError', message }))
  }

  async function send({
    cluster = {},
    user = {},
    flags = {},
    environment = {},
  }: {
    readonly cluster?: object
    readonly user?: object
    readonly flags?: AccessFlags
    readonly environment?: Readonly<Record<string, string>>
  }): Promise<void> {
    const path = join(home, 'config')
    const known = { server: `https://127.0.0.1:${port}`, 'certificate-authority': certificates.caFile }
    const config = {
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { ...known, ...cluster } }],
      users: [{ name: 'u', user }],
    }
    await writeFile(path, JSON.stringify(config))
    const { clock } = new Simulation('fields').process('p', { host: 'h' })
    const access = decideAccess(await loadAccess({ paths: [path], isMerged: false }), flags)
    const transport = connectAccess(access, {
      clock,
      environment: { PATH: process.env['PATH'], ...environment },
    })
    try {
      await transport({ method: 'GET', target: '/', headers: {}, signal: new AbortController().signal })
    } finally {
      transport.close()
    }
  }
})
