import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, type Transport, TransportError } from '@strata/world'
import { createFailoverTransport } from './failover-transport.ts'

type Behaviour = number | 'no' | 'unknown'

function fleet(...behaviours: Behaviour[]) {
  const asked: number[] = []
  const server =
    (index: number): Transport =>
    async (): Promise<HttpResponse> => {
      asked.push(index)
      const behaviour = behaviours[index] ?? 200
      if (typeof behaviour === 'string') throw new TransportError('failed', behaviour)
      return { status: behaviour, headers: {}, body: new Uint8Array() }
    }
  const transport = createFailoverTransport([
    server(0),
    ...behaviours.slice(1).map((_, at) => server(at + 1)),
  ])
  const send = async () =>
    (await transport({ method: 'GET', target: '/', headers: {}, signal: new AbortController().signal }))
      .status
  const pin = () => transport.pin()
  return { asked, behaviours, send, pin }
}

test('failover: a server that answers is kept', async () => {
  const { asked, send } = fleet(200, 200)
  await send()
  await send()
  assert.deepEqual(asked, [0, 0])
})

test('failover: a request that did not arrive goes to the next server at once', async () => {
  const { asked, send } = fleet('no', 200)
  assert.equal(await send(), 200)
  assert.equal(await send(), 200)
  assert.deepEqual(asked, [0, 1, 1])
})

test('failover: a request that may have arrived is not sent twice', async () => {
  const { asked, send } = fleet('unknown', 200)
  await assert.rejects(send(), TransportError)
  assert.equal(await send(), 200)
  assert.deepEqual(asked, [0, 1])
})

test('failover: an unavailable server answers, and the next request goes elsewhere', async () => {
  const { asked, send } = fleet(503, 200)
  assert.equal(await send(), 503)
  assert.equal(await send(), 200)
  assert.deepEqual(asked, [0, 1])
})

test('failover: if no server can be reached, each is tried once', async () => {
  const { asked, send } = fleet('no', 'no', 'no')
  await assert.rejects(send(), TransportError)
  assert.deepEqual(asked, [0, 1, 2])
})

test('failover: a pinned transport stays with its server, and tells the others of its failure', async () => {
  const { asked, behaviours, send, pin } = fleet('no', 200)
  const first = pin()
  const ask = (transport: Transport) =>
    transport({ method: 'GET', target: '/', headers: {}, signal: new AbortController().signal })
  await assert.rejects(ask(first), TransportError)
  assert.equal(await send(), 200)
  behaviours[0] = 200
  assert.equal((await ask(first)).status, 200)
  assert.deepEqual(asked, [0, 1, 0])
})
