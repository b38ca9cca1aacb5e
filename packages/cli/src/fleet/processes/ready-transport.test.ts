import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpRequest, type HttpResponse, TransportError, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { FleetBoard } from '../state/fleet-board.ts'
import type { ServerState } from '../state/fleet-state.ts'
import type { FleetServer } from './fleet-server.ts'
import { readyTransport } from './ready-transport.ts'

/** Servers that answer with their name, and then say no more until the request is ended. */
function start(...states: readonly ServerState[]) {
  const { clock } = new Simulation('ready').process('up')
  const views = states.map((state, index) => {
    const name = `strata-${index + 1}`
    return { name, instance: name, serverID: name, release: '', pid: 1, url: '', state, since: '' }
  })
  const board = new FleetBoard(clock, {
    servers: views,
    releases: [],
    roll: null,
    load: null,
    scenes: [],
    resources: [],
  })
  const freezes = views.map(() => new AbortController())
  const servers = views.map(({ name }, index) => {
    const transport = async ({ signal }: HttpRequest): Promise<HttpResponse> => ({
      ...{ status: 200, headers: {} },
      body: (async function* () {
        yield utf8.encode(name)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      })(),
    })
    const freezeSignal = freezes[index]?.signal ?? assert.fail()
    return { name, freezeSignal, transport: transport as unknown as FleetServer['transport'] }
  })
  const send = readyTransport(board, servers)
  const caller = new AbortController()
  const open = async () => {
    const { body } = await send({ method: 'GET', target: '/', headers: {}, signal: caller.signal })
    if (body instanceof Uint8Array) throw new Error('no stream')
    const chunks = body[Symbol.asyncIterator]()
    const { value } = await chunks.next()
    return { who: utf8.decode(value), rest: chunks.next() }
  }
  return { open, freezes, caller }
}

test('ready transport: a server that is not ready is passed over', async () => {
  assert.equal((await start('frozen', 'starting', 'ready').open()).who, 'strata-3')
})

test('ready transport: without a server that is ready, nothing was sent', async () => {
  await assert.rejects(start('crashed', 'frozen').open(), (error) => {
    assert.ok(error instanceof TransportError)
    assert.equal(error.reached, 'no')
    assert.match(error.message, /^no server of the fleet is ready: strata-\d is \w+$/)
    return true
  })
})

test('ready transport: what a server was answering fails when it is frozen', async () => {
  const { open, freezes } = start('ready', 'ready')
  const { who, rest } = await open()
  assert.equal(who, 'strata-1')
  freezes[0]?.abort(new TransportError('strata-1 was frozen', 'unknown'))
  await assert.rejects(rest, /strata-1 was frozen/)
})

test('ready transport: and when its caller goes', async () => {
  const { open, caller } = start('ready')
  const { rest } = await open()
  caller.abort(new Error('gone'))
  await assert.rejects(rest, /gone/)
})
