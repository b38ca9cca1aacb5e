import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { type HttpResponse, OutboundError, readAll } from '@strata/world'
import { createNodeRemote, createNodeTransport } from '@strata/world/node'
import { BackendServer } from '../support/backend-server.ts'
import { createCertificates } from '../support/certificates.ts'
import { until } from '../support/until.ts'

/** A kept connection ends under the next request. The backend may have acted on that request. */
for (const [method, arrivals] of [
  ['GET', 2],
  ['DELETE', 1],
] as const) {
  test(`node remote: ${method} over a kept connection that ends arrives ${arrivals} times`, async () => {
    const certificates = await createCertificates()
    const backend = await BackendServer.start(certificates)
    const remote = createNodeRemote()
    const signal = new AbortController().signal
    const request = {
      url: `${backend.origin}/apis/x`,
      headers: {},
      serverName: 'backend',
      isUnverified: true,
      signal,
    }
    try {
      backend.override = (_, outgoing) => {
        outgoing.end('ok')
        return true
      }
      await readAll((await remote.send({ ...request, method })).body)
      let arrived = 0
      backend.override = (incoming, outgoing) => {
        if (++arrived === 1) incoming.socket.destroy()
        else outgoing.end('again')
        return true
      }
      const second = remote.send({ ...request, method })
      if (arrivals === 2) assert.equal(Buffer.from(await readAll((await second).body)).toString(), 'again')
      else await assert.rejects(second, OutboundError)
      assert.equal(arrived, arrivals)
    } finally {
      remote.close()
      await backend.stop()
      await certificates.remove()
    }
  })
}

test('a server is trusted by its own certificate, as by clients written in Go; by another one it is not', async () => {
  const [certificates, foreign] = [await createCertificates(), await createCertificates()]
  const backend = await BackendServer.start(certificates)
  backend.override = (_, outgoing) => {
    outgoing.end('ok')
    return true
  }
  const { signal } = new AbortController()
  const textOf = async ({ body }: HttpResponse): Promise<string> =>
    Buffer.from(await readAll(body)).toString()
  const byRemote = async (ca: string): Promise<string> => {
    const remote = createNodeRemote()
    const request = {
      method: 'GET',
      url: `${backend.origin}/`,
      headers: {},
      serverName: 'localhost',
      ca,
      signal,
    }
    return textOf(await remote.send(request).finally(() => remote.close()))
  }
  const byTransport = async (ca: string): Promise<string> => {
    const transport = createNodeTransport({ server: backend.origin, ca })
    const request = { method: 'GET', target: '/', headers: {}, body: undefined, signal }
    return textOf(await transport(request).finally(() => transport.close()))
  }
  try {
    const leaf = await readFile(certificates.serverCertFile, 'utf8')
    const other = await readFile(foreign.serverCertFile, 'utf8')
    for (const send of [byRemote, byTransport]) {
      assert.equal(await send(leaf), 'ok')
      await assert.rejects(send(other))
    }
  } finally {
    await backend.stop()
    await certificates.remove()
    await foreign.remove()
  }
})

test('node remote: another certificate is shown from the next request on, and none under way is broken off', async () => {
  const [one, two] = [await createCertificates(), await createCertificates()]
  const backend = await BackendServer.start({ ...one, ca: `${one.ca}${two.ca}` })
  const identityOf = ({ clientCert, clientKey }: typeof one) => ({ cert: clientCert, key: clientKey })
  const remote = createNodeRemote(identityOf(one))
  const get = (path: string) =>
    remote.send({
      ...{ method: 'GET', url: backend.origin + path, headers: {}, serverName: 'localhost', ca: one.ca },
      signal: new AbortController().signal,
    })
  const issuers: string[] = []
  const waiting = Promise.withResolvers<() => void>()
  backend.override = (incoming, outgoing) => {
    issuers.push((incoming.socket as TLSSocket).getPeerCertificate().fingerprint256)
    if (incoming.url === '/slow') waiting.resolve(() => outgoing.end('late'))
    else outgoing.end('ok')
    return true
  }
  try {
    await readAll((await get('/quick')).body)
    const slow = get('/slow')
    const finish = await waiting.promise
    remote.setIdentity(identityOf(two))
    await readAll((await get('/quick')).body)
    finish()
    assert.equal(Buffer.from(await readAll((await slow).body)).toString(), 'late')
    assert.equal(issuers[0], issuers[1])
    assert.notEqual(issuers[1], issuers[2])
    await until('the connection of the old certificate is closed', () => backend.sockets.size === 1)
  } finally {
    remote.close()
    await backend.stop()
    await one.remove()
    await two.remove()
  }
})
