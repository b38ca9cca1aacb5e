import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AsyncQueue } from '../async-queue.ts'
import { sleep } from '../clock.ts'
import { type HttpRequest, type Transport, TransportError } from '../transport.ts'
import { createSimNetwork } from './network.ts'
import type { NetworkFaults } from './network-faults.ts'
import { Simulation } from './simulation.ts'

const never = new AbortController().signal
const get = (signal: AbortSignal = never): HttpRequest => ({
  method: 'GET',
  target: '/',
  headers: {},
  signal,
})

function stage(serve: Transport, faults: Partial<NetworkFaults> = {}, seed = 1) {
  const simulation = new Simulation(seed)
  const network = createSimNetwork(simulation, { windowChunks: 4, ...faults })
  const client = simulation.process('client')
  const server = simulation.process('server')
  network.listen('server', server, serve)
  const send = network.connect(client, 'server')
  const open = async (signal?: AbortSignal): Promise<AsyncIterator<Uint8Array>> => {
    const { body } = await simulation.settle(send(get(signal)))
    assert.ok(!(body instanceof Uint8Array))
    return body[Symbol.asyncIterator]()
  }
  return { simulation, network, client, server, open }
}

/** Counts upwards as fast as it is read. */
function counter(length = 200) {
  const seen = { produced: 0, ended: false }
  async function* count() {
    try {
      for (; seen.produced < length; ) yield Uint8Array.of(seen.produced++)
    } finally {
      seen.ended = true
    }
  }
  const serve: Transport = async () => ({ status: 200, headers: {}, body: count() })
  return { seen, serve }
}

/** Sends one chunk and then nothing. */
function silent() {
  const queue = new AsyncQueue<Uint8Array>({ limit: 10 })
  queue.push(Uint8Array.of(0))
  const serve: Transport = async () => ({ status: 200, headers: {}, body: queue })
  return { queue, serve }
}

async function readToEnd(iterator: AsyncIterator<Uint8Array>): Promise<number[]> {
  const values: number[] = []
  for (let next = await iterator.next(); !next.done; next = await iterator.next())
    values.push(next.value[0] ?? -1)
  return values
}

const upTo = (length: number) => Array.from({ length }, (_, index) => index)

test('stream: all chunks come in order, whatever the delays', async () => {
  for (let seed = 0; seed < 10; seed++) {
    const { simulation, open } = stage(counter().serve, { minDelayMs: 0, maxDelayMs: 50 }, seed)
    assert.deepEqual(await simulation.settle(readToEnd(await open())), upTo(200))
    assert.equal(await simulation.run(), 'idle')
  }
})

test('stream: a sender that uses its buffer again does not change what it sent', async () => {
  async function* reuse() {
    const buffer = new Uint8Array(1)
    for (let i = 0; i < 10; i++) {
      buffer[0] = i
      yield buffer
    }
  }
  const { simulation, open } = stage(async () => ({ status: 200, headers: {}, body: reuse() }))
  assert.deepEqual(await simulation.settle(readToEnd(await open())), upTo(10))
})

test('stream: order survives freezes and short partitions', async () => {
  for (let seed = 0; seed < 10; seed++) {
    const { simulation, network, client, server, open } = stage(counter().serve, {}, seed)
    const all = readToEnd(await open())
    for (let at = 5; at < 300; at += 10) {
      simulation.schedule(at, 'fault', () =>
        at % 20 === 5 ? client.freeze() : network.partition('client', 'server'),
      )
      simulation.schedule(at + 6, 'mend', () => {
        client.thaw()
        network.healAll()
      })
    }
    simulation.schedule(50, 'freeze', () => server.freeze())
    simulation.schedule(90, 'thaw', () => server.thaw())
    assert.deepEqual(await simulation.settle(all), upTo(200))
  }
})

test('stream: a reader that does not read stops the sender', async () => {
  const { seen, serve } = counter()
  const { simulation, open } = stage(serve)
  const iterator = await open()
  await simulation.run()
  assert.equal(seen.produced, 4)
  await simulation.settle(iterator.next())
  await simulation.run()
  assert.equal(seen.produced, 5)
})

test('stream: a frozen reader stops the sender', async () => {
  const { seen, serve } = counter()
  const { simulation, client, open } = stage(serve)
  void readToEnd(await open())
  client.freeze()
  const before = seen.produced
  await simulation.run()
  assert.ok(seen.produced <= before + 4)
})

test('stream: a reader that leaves ends the stream of the server', async () => {
  const { seen, serve } = counter()
  const { simulation, open } = stage(serve)
  const iterator = await open()
  await simulation.settle(iterator.next())
  await iterator.return?.()
  await simulation.run()
  assert.equal(seen.ended, true)
  assert.deepEqual(await iterator.next(), { done: true, value: undefined })
})

test('stream: leaving ends a stream that is silent, too', async () => {
  const { queue, serve } = silent()
  const { simulation, open } = stage(serve)
  const iterator = await open()
  await simulation.settle(iterator.next())
  await iterator.return?.()
  await simulation.run()
  assert.equal(queue.closed, true)
})

test('stream: an abort wakes the reader at once with its reason', async () => {
  const { queue, serve } = silent()
  const controller = new AbortController()
  const { simulation, open } = stage(serve)
  const iterator = await open(controller.signal)
  await simulation.settle(iterator.next())
  const next = iterator.next()
  controller.abort(new Error('enough'))
  await assert.rejects(next, /enough/)
  await simulation.run()
  assert.equal(queue.closed, true)
})

test('stream: the crash of the server cuts it, after what was on the way', async () => {
  const { serve } = silent()
  const { simulation, server, open } = stage(serve)
  const all = readToEnd(await open())
  server.crash()
  await assert.rejects(simulation.settle(all), TransportError)
})

test('stream: the crash of the client ends it at the server', async () => {
  const { queue, serve } = silent()
  const { simulation, client, open } = stage(serve)
  await open()
  client.crash()
  await simulation.run()
  assert.equal(queue.closed, true)
})

test('stream: a lasting partition cuts it on both sides, even when it is silent', async () => {
  const { queue, serve } = silent()
  const { simulation, network, open } = stage(serve)
  const all = readToEnd(await open())
  network.partition('client', 'server')
  await assert.rejects(simulation.settle(all), TransportError)
  await simulation.run()
  assert.equal(queue.closed, true)
})

test('stream: an error of the server reaches the reader as a broken answer', async () => {
  const { queue, serve } = silent()
  const { simulation, open } = stage(serve)
  const iterator = await open()
  queue.fail(new Error('store is gone'))
  await simulation.settle(iterator.next())
  await assert.rejects(simulation.settle(iterator.next()), TransportError)
})

test('stream: a lost chunk breaks it and never leaves a hole', async () => {
  let broken = 0
  for (let seed = 0; seed < 50; seed++) {
    const { simulation, network, open } = stage(counter(50).serve, {}, seed)
    const iterator = await open()
    network.setFaults({ dropRate: 0.03 })
    const values: number[] = []
    const read = async (): Promise<void> => {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        values.push(next.value[0] ?? -1)
      }
    }
    await simulation.settle(read().catch(() => broken++))
    assert.deepEqual(values, upTo(values.length))
  }
  assert.ok(broken > 10 && broken < 50, String(broken))
})

test('stream: the signal of the request ends a stream that looks at it', async () => {
  let ended = false
  const serve: Transport = async ({ signal }) => {
    async function* tick() {
      try {
        for (;;) {
          await sleep(stages.server.clock, 10, signal)
          yield Uint8Array.of(1)
        }
      } finally {
        ended = true
      }
    }
    return { status: 200, headers: {}, body: tick() }
  }
  const stages = stage(serve)
  const iterator = await stages.open()
  await stages.simulation.settle(iterator.next())
  await iterator.return?.()
  assert.equal(await stages.simulation.run({ maxEvents: 1000 }), 'idle')
  assert.equal(ended, true)
})
