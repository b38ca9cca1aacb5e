import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type HttpRequest, readAll, TransportError, utf8 } from '../transport.ts'
import { createNodeTransport, type NodeTransport } from './node-transport.ts'

const never = new AbortController().signal
const get = (signal: AbortSignal = never, target = '/'): HttpRequest => ({
  method: 'GET',
  target,
  headers: {},
  signal,
})
const fails = (reached: 'no' | 'unknown') => (error: unknown) =>
  error instanceof TransportError && error.reached === reached

const portOf = (server: Server): number => (server.address() as AddressInfo).port

async function serve(t: TestContext, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return server
}

async function stage(t: TestContext, listener: RequestListener, path = ''): Promise<NodeTransport> {
  const server = await serve(t, listener)
  const send = createNodeTransport({ server: `http://127.0.0.1:${portOf(server)}${path}`, token: 'secret' })
  t.after(() => send.close())
  return send
}

test('node transport: carries method, target, headers and body there, and the answer back', async (t) => {
  const send = await stage(
    t,
    (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { authorization, 'x-own': own, 'content-length': length } = request.headers
        response.writeHead(201, { 'X-One': '1', 'X-Two': ['a', 'b'] })
        response.end(
          [request.method, request.url, authorization, own, length, Buffer.concat(chunks)].join(' '),
        )
      })
    },
    '/base/',
  )
  const answer = await send({
    method: 'POST',
    target: '/api?x=1',
    headers: { 'x-own': 'yes' },
    body: utf8.encode('body'),
    signal: never,
  })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers['x-one'], '1')
  assert.deepEqual(answer.headers['x-two'], ['a', 'b'])
  assert.equal(utf8.decode(await readAll(answer.body)), 'POST /base/api?x=1 Bearer secret yes 4 body')
})

test('node transport: keeps its connection for the next request', async (t) => {
  const ports = new Set<number | undefined>()
  const send = await stage(t, (request, response) => {
    ports.add(request.socket.remotePort)
    response.end('ok')
  })
  for (let i = 0; i < 3; i++) await readAll((await send(get())).body)
  assert.equal(ports.size, 1)
})

test('node transport: a refused connection reached nothing', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  await assert.rejects(createNodeTransport({ server: `http://127.0.0.1:${port}` })(get()), fails('no'))
})

test('node transport: a name that does not exist reached nothing', async () => {
  await assert.rejects(createNodeTransport({ server: 'http://nowhere.invalid' })(get()), fails('no'))
})

test('node transport: a failed TLS handshake reached nothing', async (t) => {
  const server = await serve(t, (_request, response) => response.end())
  const send = createNodeTransport({ server: `https://127.0.0.1:${portOf(server)}` })
  await assert.rejects(send(get()), fails('no'))
})

test('node transport: a connection that ends without an answer leaves the outcome unknown', async (t) => {
  const send = await stage(t, (request) => request.socket.destroy())
  await assert.rejects(send(get()), fails('unknown'))
})

test('node transport: so does a kept connection that ends under the next request', async (t) => {
  let served = 0
  const send = await stage(t, (request, response) => {
    if (++served === 1) response.end('ok')
    else request.socket.destroy()
  })
  await readAll((await send(get())).body)
  await assert.rejects(send(get()), fails('unknown'))
})

for (const framing of ['with a length', 'in chunks'] as const) {
  test(`node transport: an answer ${framing} that breaks off is an error of its stream`, async (t) => {
    const send = await stage(t, (_request, response) => {
      if (framing === 'with a length') response.setHeader('content-length', 100)
      response.write('half', () => response.socket?.destroy())
    })
    const { status, body } = await send(get())
    assert.equal(status, 200)
    await assert.rejects(readAll(body), fails('unknown'))
  })
}

/** Answers with `first` and leaves the rest to the test. */
async function openStream(t: TestContext, signal?: AbortSignal) {
  const answered = Promise.withResolvers<ServerResponse>()
  const send = await stage(t, (_request, response) => {
    response.write('first')
    answered.resolve(response)
  })
  const { body } = await send(get(signal))
  assert.ok(!(body instanceof Uint8Array))
  const response = await answered.promise
  const iterator = body[Symbol.asyncIterator]()
  const next = async (): Promise<string | undefined> => {
    const result = await iterator.next()
    return result.done ? undefined : utf8.decode(result.value)
  }
  return { response, iterator, next, closed: once(response, 'close') }
}

test('node transport: a stream is read as it comes', async (t) => {
  const { response, next } = await openStream(t)
  assert.equal(await next(), 'first')
  response.write('second')
  assert.equal(await next(), 'second')
  response.end()
  assert.equal(await next(), undefined)
})

test('node transport: a reader that leaves a silent stream closes the connection', async (t) => {
  const { iterator, next, closed } = await openStream(t)
  assert.equal(await next(), 'first')
  const sleeping = next()
  await iterator.return?.()
  assert.equal(await sleeping, undefined)
  await closed
})

test('node transport: a reader that leaves before reading closes the connection', async (t) => {
  const { iterator, closed } = await openStream(t)
  await iterator.return?.()
  await closed
})

test('node transport: an abort wakes the reader with its reason and closes the connection', async (t) => {
  const controller = new AbortController()
  const { next, closed } = await openStream(t, controller.signal)
  assert.equal(await next(), 'first')
  const sleeping = next()
  controller.abort(new Error('enough'))
  await assert.rejects(sleeping, /enough/)
  assert.equal(await next(), undefined)
  await closed
})

test('node transport: an abort before the answer throws its reason', async (t) => {
  const controller = new AbortController()
  const send = await stage(t, () => controller.abort(new Error('enough')))
  await assert.rejects(send(get(controller.signal)), /enough/)
  await assert.rejects(send(get(controller.signal)), /enough/)
})

test('node transport: a reader that does not read stops the sender', async (t) => {
  const filled = Promise.withResolvers<void>()
  let written = 0
  let total = 0
  const send = await stage(t, (request, response) => {
    if (request.url === '/ping') {
      response.end()
      return
    }
    const block = Buffer.alloc(1 << 20)
    const fill = (): void => {
      while (response.write(block)) written += block.length
      written += block.length
      filled.resolve()
    }
    response.on('drain', () => {
      if (written < 64 << 20) fill()
      else response.end()
    })
    fill()
  })
  const { body } = await send(get())
  await filled.promise
  // Many turns of the loop, in which an unread answer would have arrived as a whole.
  for (let i = 0; i < 200; i++) await readAll((await send(get(never, '/ping'))).body)
  assert.ok(written < 64 << 20)
  assert.ok(!(body instanceof Uint8Array))
  for await (const chunk of body) total += chunk.length
  assert.equal(total, written)
})
