import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type HttpRequest,
  type HttpResponse,
  readAll,
  type Transport,
  TransportError,
  utf8,
} from '../transport.ts'
import { createSimNetwork, type SimNetwork } from './network.ts'
import type { NetworkFaults } from './network-faults.ts'
import type { SimProcess } from './sim-process.ts'
import { Simulation } from './simulation.ts'

interface Stage {
  readonly simulation: Simulation
  readonly network: SimNetwork
  readonly client: SimProcess
  readonly server: SimProcess
  readonly send: Transport
}

function stage(serve: Transport, faults: Partial<NetworkFaults> = {}, seed: number | string = 1): Stage {
  const simulation = new Simulation(seed)
  const network = createSimNetwork(simulation, { minDelayMs: 1, maxDelayMs: 10, ...faults })
  const client = simulation.process('client')
  const server = simulation.process('server')
  network.listen('server', server, serve)
  return { simulation, network, client, server, send: network.connect(client, 'server') }
}

const get = (signal: AbortSignal = new AbortController().signal): HttpRequest => ({
  method: 'GET',
  target: '/x',
  headers: {},
  signal,
})
const ok = (text = 'ok'): HttpResponse => ({ status: 200, headers: {}, body: utf8.encode(text) })
const fails = (reached: 'no' | 'unknown') => (error: unknown) =>
  error instanceof TransportError && error.reached === reached

test('network: a request and its answer each take their time', async () => {
  const { simulation, send } = stage(async ({ body }) => ok(`got ${body ? utf8.decode(body) : ''}`))
  const answer = await simulation.settle(send({ ...get(), method: 'POST', body: utf8.encode('it') }))
  assert.equal(utf8.decode(await readAll(answer.body)), 'got it')
  assert.ok(simulation.nowMs >= 2 && simulation.nowMs <= 20)
  assert.equal(await simulation.run(), 'idle')
})

test('network: processes share no memory', async () => {
  const mine = utf8.encode('mine')
  const theirs = utf8.encode('theirs')
  const { simulation, send } = stage(async ({ body }) => {
    body?.fill(0)
    return { status: 200, headers: {}, body: theirs }
  })
  const { body } = await simulation.settle(send({ ...get(), body: mine }))
  if (body instanceof Uint8Array) body.fill(0)
  assert.equal(utf8.decode(mine), 'mine')
  assert.equal(utf8.decode(theirs), 'theirs')
})

test('network: where no server listens, nothing was reached', async () => {
  const { simulation, network, client } = stage(async () => ok())
  await assert.rejects(simulation.settle(network.connect(client, 'missing')(get())), fails('no'))
})

test('network: a crashed server refuses, and its successor of the same name answers', async () => {
  const { simulation, network, server, send } = stage(async () => ok('first'))
  server.crash()
  await assert.rejects(simulation.settle(send(get())), fails('no'))
  network.listen('server', simulation.process('server'), async () => ok('second'))
  const { body } = await simulation.settle(send(get()))
  assert.equal(utf8.decode(await readAll(body)), 'second')
})

test('network: a server that stops listening refuses, but a newer one stays', async () => {
  const { simulation, network, server, send } = stage(async () => ok())
  const stopOld = network.listen('server', server, async () => ok('old'))
  const stopNew = network.listen('server', server, async () => ok('new'))
  stopOld()
  assert.equal((await simulation.settle(send(get()))).status, 200)
  stopNew()
  await assert.rejects(simulation.settle(send(get())), fails('no'))
})

test('network: a crash after the request arrived leaves the outcome unknown', async () => {
  let served = 0
  const { simulation, server, send } = stage(() => {
    served++
    server.crash()
    return new Promise(() => {})
  })
  await assert.rejects(simulation.settle(send(get())), fails('unknown'))
  assert.equal(served, 1)
})

test('network: what a process still does in the turn of its crash is heard by no one', async () => {
  const { simulation, server, send } = stage(async () => {
    server.crash()
    return ok()
  })
  await assert.rejects(simulation.settle(send(get())), fails('unknown'))
  assert.ok(!simulation.traceLines().some((line) => line.includes('answer')))
})

test('network: a frozen server is silent and answers after the thaw', async () => {
  let served = 0
  const { simulation, server, send } = stage(async () => {
    served++
    return ok()
  })
  server.freeze()
  const answer = send(get())
  await simulation.run({ untilMs: 10_000 })
  assert.equal(served, 0)
  server.thaw()
  assert.equal((await simulation.settle(answer)).status, 200)
})

test('network: a frozen client hears the answer after the thaw', async () => {
  const { simulation, client, send } = stage(async () => ok())
  let heard = false
  const answer = send(get()).then(() => {
    heard = true
  })
  client.freeze()
  await simulation.run({ untilMs: 1000 })
  assert.equal(heard, false)
  client.thaw()
  await simulation.settle(answer)
})

test('network: a server function that fails looks like a broken connection', async () => {
  const { simulation, send } = stage(async () => {
    throw new Error('bug')
  })
  await assert.rejects(simulation.settle(send(get())), fails('unknown'))
})

test('network: a dead client sends nothing', async () => {
  let served = 0
  const { simulation, client, send } = stage(async () => {
    served++
    return ok()
  })
  client.crash()
  void send(get())
  await simulation.run()
  assert.equal(served, 0)
})

test('partition: a short one only delays', async () => {
  const { simulation, network, send } = stage(async () => ok(), { partitionTimeoutMs: 500 })
  network.partition('client', 'server')
  const answer = send(get())
  simulation.schedule(400, 'heal', () => network.heal('client', 'server'))
  assert.equal((await simulation.settle(answer)).status, 200)
  assert.ok(simulation.nowMs >= 400)
  // No check for the partition is left behind.
  assert.equal(await simulation.run(), 'idle')
  assert.ok(simulation.nowMs < 500)
})

test('partition: a lasting one before the request arrived means that nothing was reached', async () => {
  let served = 0
  const { simulation, network, send } = stage(async () => {
    served++
    return ok()
  })
  network.partition('server', 'client')
  await assert.rejects(simulation.settle(send(get())), fails('no'))
  network.healAll()
  await simulation.run()
  assert.equal(served, 0)
})

test('partition: a lasting one before the answer arrived leaves the outcome unknown', async () => {
  const { simulation, network, send } = stage(async () => {
    network.partition('client', 'server')
    return ok()
  })
  await assert.rejects(simulation.settle(send(get())), fails('unknown'))
})

test('partition: one way lets requests pass and loses the answers', async () => {
  let served = 0
  const { simulation, network, send } = stage(async () => {
    served++
    return ok()
  })
  network.partition('server', 'client', { oneWay: true })
  await assert.rejects(simulation.settle(send(get())), fails('unknown'))
  assert.equal(served, 1)
})

test('partition: one that healed and came back is not taken for one that lasted', async () => {
  const { simulation, network, send } = stage(async () => ok(), { partitionTimeoutMs: 500, minDelayMs: 10 })
  network.partition('client', 'server')
  const answer = send(get())
  simulation.schedule(300, 'heal', () => network.heal('client', 'server'))
  simulation.schedule(305, 'cut', () => network.partition('client', 'server'))
  simulation.schedule(600, 'heal', () => network.heal('client', 'server'))
  assert.equal((await simulation.settle(answer)).status, 200)
})

test('drops: requests and answers are lost, and what was served is never reported as not reached', async () => {
  const { simulation, send } = stage(async () => ok(), { dropRate: 0.3 })
  const results = await simulation.settle(Promise.allSettled(Array.from({ length: 200 }, () => send(get()))))
  const lost = results.filter((result) => result.status === 'rejected')
  assert.ok(lost.length > 50 && lost.length < 150, String(lost.length))
  for (const { reason } of lost) assert.ok(fails('unknown')(reason))
})

test('repeats: an idempotent request may be served twice and is answered once; a create never', async () => {
  const served: string[] = []
  const serve: Transport = async ({ method }) => {
    served.push(method)
    return ok()
  }
  const { simulation, send } = stage(serve, { repeatRate: 1 })
  await simulation.settle(send(get()))
  await simulation.settle(send({ ...get(), method: 'POST' }))
  await simulation.run()
  assert.equal(served.filter((method) => method === 'GET').length, 2)
  assert.equal(served.filter((method) => method === 'POST').length, 1)
})

test('abort: the client is free at once, and the server hears of it later', async () => {
  const controller = new AbortController()
  let serverSignal: AbortSignal | undefined
  const { simulation, send } = stage(({ signal }) => {
    serverSignal = signal
    return new Promise(() => {})
  })
  const answer = send(get(controller.signal))
  await simulation.run({ until: () => serverSignal !== undefined })
  const before = simulation.nowMs
  controller.abort(new Error('enough'))
  await assert.rejects(answer, /enough/)
  assert.equal(simulation.nowMs, before)
  assert.equal(serverSignal?.aborted, false)
  await simulation.run()
  assert.equal(serverSignal?.aborted, true)
  await assert.rejects(send(get(controller.signal)), /enough/)
})

test('abort: the server is not notified after it has answered', async () => {
  const controller = new AbortController()
  let serverSignal: AbortSignal | undefined
  const { simulation, send } = stage(async ({ signal }) => {
    serverSignal = signal
    return ok()
  })
  await simulation.settle(send(get(controller.signal)))
  controller.abort()
  await simulation.run()
  assert.equal(serverSignal?.aborted, false)
})

test('abort: nor when the abort crosses the answer on its way', async () => {
  const controller = new AbortController()
  let serverSignal: AbortSignal | undefined
  const { simulation, send } = stage(async ({ signal }) => {
    serverSignal = signal
    return ok()
  })
  const answer = send(get(controller.signal))
  await simulation.run({ until: () => serverSignal !== undefined })
  controller.abort(new Error('enough'))
  await assert.rejects(answer, /enough/)
  await simulation.run()
  assert.equal(serverSignal?.aborted, false)
})

test('a crashed client: the server hears that it has gone', async () => {
  let serverSignal: AbortSignal | undefined
  const { simulation, client, send } = stage(({ signal }) => {
    serverSignal = signal
    return new Promise(() => {})
  })
  void send(get())
  await simulation.run({ until: () => serverSignal !== undefined })
  client.crash()
  await simulation.run()
  assert.equal(serverSignal?.aborted, true)
})

test('network: with faults, the same seed gives the same trace and another seed another', async () => {
  const play = async (seed: number): Promise<string> => {
    const faults = { dropRate: 0.1, repeatRate: 0.1 }
    const { simulation, network, send } = stage(async () => ok(), faults, seed)
    for (let i = 0; i < 50; i++) simulation.schedule(i, 'send', () => void send(get()).catch(() => {}))
    simulation.schedule(20, 'cut', () => network.partition('client', 'server'))
    simulation.schedule(40, 'heal', () => network.healAll())
    assert.equal(await simulation.run(), 'idle')
    return simulation.traceHash()
  }
  assert.equal(await play(1), await play(1))
  assert.notEqual(await play(1), await play(2))
})
