import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutboundError, readAll } from '@strata/world'
import { createNodeRemote } from '@strata/world/node'
import { BackendServer } from '../support/backend-server.ts'
import { createCertificates } from '../support/certificates.ts'

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
