import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { nodeClock } from '@strata/world/node'
import { type Certificates, createCertificates } from '../../../test/support/certificates.ts'
import { connectAccess } from './connection/exec-credential.ts'
import { loadAccess } from './connection/kubeconfig.ts'

describe('kubeconfig: by what a server is known', () => {
  let certificates: Certificates
  let server: Server
  let home = ''
  /** What each request has called the server, and who sent it. */
  const seen: string[] = []
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-tls-'))
    certificates = await createCertificates(['inside.example'])
    const { serverCertFile, serverKeyFile, ca } = certificates
    const tls = { cert: await readFile(serverCertFile), key: await readFile(serverKeyFile), ca }
    server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      const { servername, authorized } = request.socket as TLSSocket & { readonly servername?: string }
      seen.push([servername || 'no name', request.headers.authorization, authorized].join(', '))
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
    await Promise.all([certificates.remove(), rm(home, { recursive: true, force: true })])
  })

  const authority = (): object => ({ 'certificate-authority': certificates.caFile })
  const cases: readonly [name: string, cluster: () => object, want: string | RegExp][] = [
    ['its authority', authority, 'no name, Bearer t, true'],
    ['no authority that would know it', () => ({}), /self-signed certificate/],
    [
      'nothing, if that is asked for',
      () => ({ 'insecure-skip-tls-verify': true }),
      'no name, Bearer t, true',
    ],
    [
      'not by nothing, if that is asked for',
      () => ({ 'insecure-skip-tls-verify': false }),
      /self-signed certificate/,
    ],
    [
      'another name than its address',
      () => ({ ...authority(), 'tls-server-name': 'inside.example' }),
      'inside.example, Bearer t, true',
    ],
    [
      'a name that is not its own',
      () => ({ ...authority(), 'tls-server-name': 'elsewhere.example' }),
      /altnames/,
    ],
    [
      'any name, if nothing is asked for',
      () => ({ 'insecure-skip-tls-verify': true, 'tls-server-name': 'elsewhere.example' }),
      'elsewhere.example, Bearer t, true',
    ],
  ]
  for (const [name, cluster, want] of cases) {
    test(name, async () => {
      const file = join(home, 'config')
      const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { clientCert, clientKey } = certificates
      const base64 = (text: string): string => Buffer.from(text).toString('base64')
      const user = {
        token: 't',
        'client-certificate-data': base64(clientCert),
        'client-key-data': base64(clientKey),
      }
      const config = {
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'u' } }],
        clusters: [{ name: 'a', cluster: { server: address, ...cluster() } }],
        users: [{ name: 'u', user }],
      }
      await writeFile(file, JSON.stringify(config))
      const access = await loadAccess({ paths: [file], isMerged: false })
      const transport = connectAccess(access, { clock: nodeClock, environment: {} })
      const { signal } = new AbortController()
      const asked = transport({ method: 'GET', target: '/', headers: {}, signal })
      if (typeof want === 'string') {
        await asked
        assert.deepEqual(seen.splice(0), [want])
      } else await assert.rejects(asked, { name: 'TransportError', message: want })
      transport.close()
    })
  }
})
