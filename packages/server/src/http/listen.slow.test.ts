import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Agent, type RequestOptions, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { after, before, test } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { ApiError } from '@strata/api'
import { createLog, type HttpRequest, type HttpResponse, readAll } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { createCertificates } from '../credentials/certificates.ts'
import type { ServerRequest } from '../handlers/index.ts'
import { type Listener, listen } from './listen.ts'

type Handle = (request: ServerRequest) => Promise<HttpResponse>
type Made = Awaited<ReturnType<typeof createCertificates>>

let certificates: Made
let listener: Listener
let handle: Handle
const open: (() => void)[] = []

before(async () => {
  certificates = await createCertificates({
    hostnames: ['localhost'],
    addresses: ['127.0.0.1'],
    nowMs: nodeClock.wallMs(),
  })
  listener = await start()
})
after(async () => {
  for (const close of open) close()
  await listener.close(AbortSignal.abort())
})

function start(clock = nodeClock): Promise<Listener> {
  return listen({
    handle: (incoming: HttpRequest) => handle(incoming),
    host: '127.0.0.1',
    port: 0,
    tls: { ...certificates.serving, clientCa: certificates.authority.cert },
    clock,
    log: createLog(() => {}),
  })
}

const text = (body: string, headers = {}): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain', ...headers },
  body: Buffer.from(body),
})
const ca = (): { ca: string } => ({ ca: certificates.authority.cert })

interface Got {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: Buffer
}

async function get(path: string, options: RequestOptions = {}, body?: string): Promise<Got> {
  const outgoing = request({ host: '127.0.0.1', port: listener.port, path, ...ca(), ...options })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.from(await readAll(response)),
  }
}

function session(): ClientHttp2Session {
  const made = connectHttp2(`https://127.0.0.1:${listener.port}`, ca())
  made.on('error', () => {})
  open.push(() => made.destroy())
  return made
}

async function getHttp2(client: ClientHttp2Session, path: string, headers = {}, body?: string): Promise<Got> {
  const stream = client.request({ ':path': path, ...headers })
  stream.end(body)
  const [head] = await once(stream, 'response')
  return { status: head[':status'], headers: head, body: Buffer.from(await readAll(stream)) }
}

async function socket(): Promise<TLSSocket> {
  const made = connectTls({ host: '127.0.0.1', port: listener.port, ...ca(), ALPNProtocols: ['http/1.1'] })
  made.on('error', () => {})
  open.push(() => made.destroy())
  await once(made, 'secureConnect')
  return made
}

/** Everything until the server hangs up. */
async function rest(from: TLSSocket): Promise<string> {
  return Buffer.from(await readAll(from)).toString('latin1')
}

const readsAll: Handle = async (incoming) => {
  try {
    return text(String((await incoming.readBody?.(1000))?.length))
  } catch (error) {
    if (error instanceof ApiError) return { ...text(error.message), status: error.code }
    throw error
  }
}

test('sockets: both versions of HTTP on one port, the same answers', async () => {
  handle = async ({ method, target }) => text(`${method} ${target}`, { warning: ['299 - "a"', '299 - "b"'] })
  const one = await get('/a?b=c')
  assert.deepEqual([one.status, one.body.toString()], [200, 'GET /a?b=c'])
  assert.equal(one.headers['warning'], '299 - "a", 299 - "b"')
  const client = session()
  const two = await getHttp2(client, '/a?b=c')
  assert.deepEqual([two.status, two.body.toString()], [200, 'GET /a?b=c'])
  const head = await getHttp2(client, '/a', { ':method': 'HEAD' })
  assert.deepEqual([head.headers['content-length'], head.body.length], ['7', 0])
  assert.equal((await get('/a', { method: 'HEAD' })).body.length, 0)
})

/** The median time of each path, asked in turns over one connection. */
async function mediansMs(paths: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times = paths.map((): number[] => [])
  for (let round = 0; round < 41; round++) {
    for (const [index, path] of paths.entries()) {
      const begun = nodeClock.monotonicMs()
      await get(path, { agent })
      times[index]?.push(nodeClock.monotonicMs() - begun)
    }
  }
  agent.destroy()
  return times.map((each) => each.sort((a, b) => a - b)[20] ?? 0)
}

test('sockets: an answer of several small pieces takes about as long as one of a single piece', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const piece of ['a', 'b', 'c']) {
      yield Buffer.from(piece)
      await new Promise<void>((resolve) => nodeClock.soon(resolve))
    }
  }
  handle = async ({ target }) => (target === '/whole' ? text('abc') : { ...text(''), body: pieces() })
  const [whole = 0, inPieces = 0] = await mediansMs(['/whole', '/pieces'])
  // With Nagle's algorithm each later piece waits for a delayed acknowledgement: a hundred times as long.
  assert.ok(inPieces < 25 * whole, `${inPieces} ms in pieces, ${whole} ms whole`)
})

test('sockets: lines of one header can be distinguished in both versions', async () => {
  handle = async ({ rawHeaders = [] }) => {
    const isWanted = (_: string, index: number) =>
      rawHeaders[index - (index % 2)]?.toLowerCase() === 'x-lines'
    return text(JSON.stringify(rawHeaders.filter(isWanted).filter((_, index) => index % 2 === 1)))
  }
  const lines = { 'x-lines': ['a,b', 'c'] }
  assert.equal((await get('/', { headers: lines })).body.toString(), '["a,b","c"]')
  assert.equal((await getHttp2(session(), '/', lines)).body.toString(), '["a,b","c"]')
})

test('sockets: warnings in other scripts arrive the same in both versions', async () => {
  const value = Buffer.from('299 - "unknown field \\"größe\\""').toString('latin1')
  handle = async () => text('', { warning: [value] })
  const utf8 = (header: unknown): string => Buffer.from(String(header), 'latin1').toString('utf8')
  assert.match(utf8((await get('/')).headers['warning']), /größe/)
  assert.match(utf8((await getHttp2(session(), '/')).headers['warning']), /größe/)
})

test('sockets: a client that waits for leave to send its body is given it', async () => {
  handle = readsAll
  const stream = session().request({ ':method': 'POST', ':path': '/', expect: '100-continue' })
  await once(stream, 'continue')
  stream.end('abc')
  assert.equal(Buffer.from(await readAll(stream)).toString(), '3')
})

test('sockets: hundreds of streams at once on one connection', async () => {
  handle = async ({ target }) => text(target)
  const client = session()
  const paths = Array.from({ length: 1000 }, (_, index) => `/${index}`)
  const answers = await Promise.all(paths.map((path) => getHttp2(client, path)))
  assert.deepEqual(
    answers.map(({ body }) => body.toString()),
    paths,
  )
})

test('sockets: a certificate says who asks; a stranger says nothing that counts', async () => {
  handle = async ({ peer }) => text(JSON.stringify(peer ?? null))
  const asked = async (options: RequestOptions) => JSON.parse((await get('/', options)).body.toString())
  assert.equal(await asked({}), null)
  const fingerprint = createHash('sha256')
    .update(new X509Certificate(certificates.admin.cert).raw)
    .digest('hex')
  const admin = { anchor: 'client', commonName: 'admin', organizations: ['system:masters'], fingerprint }
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 })
  // The second time the session is resumed, and the certificate is not sent again.
  for (let turn = 0; turn < 2; turn++) assert.deepEqual(await asked({ ...certificates.admin, agent }), admin)
  const other = await createCertificates({ hostnames: [], addresses: [], nowMs: nodeClock.wallMs() })
  assert.equal((await asked(other.admin)).anchor, 'none')
  // A serving certificate is not one for clients, though the same authority has signed it.
  assert.equal((await asked(certificates.serving)).anchor, 'none')
  const client = connectHttp2(`https://127.0.0.1:${listener.port}`, { ...ca(), ...certificates.admin })
  assert.deepEqual(JSON.parse((await getHttp2(client, '/')).body.toString()), admin)
  client.destroy()
})

test('sockets: other authorities count from the next connection on, for resumed sessions too', async () => {
  handle = async ({ peer }) => text(peer?.anchor ?? '')
  const other = await createCertificates({ hostnames: [], addresses: [], nowMs: nodeClock.wallMs() })
  const own = await start()
  open.push(() => void own.close(AbortSignal.abort()))
  const agents = new Map<object, Agent>()
  const anchor = async (identity: Made['admin']): Promise<string> => {
    const agent = agents.get(identity) ?? new Agent({ keepAlive: false, maxCachedSessions: 10 })
    agents.set(identity, agent)
    return (await get('/', { ...identity, agent, port: own.port })).body.toString()
  }
  const both = async (): Promise<string> => `${await anchor(certificates.admin)} ${await anchor(other.admin)}`
  const [one, two] = [certificates.authority.cert, other.authority.cert]
  for (const [authorities, want] of [
    [{ clientCa: one }, 'client none'],
    [{ clientCa: one, requestHeaderCa: two }, 'client request-header'],
    [{ clientCa: two, requestHeaderCa: one }, 'request-header client'],
    [{ clientCa: `${one}\n${two}`, requestHeaderCa: two }, 'client both'],
    [{}, 'none none'],
    [{ requestHeaderCa: two }, 'none request-header'],
  ] as const) {
    own.setAuthorities(authorities)
    for (let turn = 0; turn < 2; turn++) assert.equal(await both(), want)
  }
})

test('sockets: a certificate that expires does not count any more for a connection that is open', async () => {
  handle = async ({ peer }) => text(peer?.anchor ?? '')
  let lateMs = 0
  const own = await start({ ...nodeClock, wallMs: () => nodeClock.wallMs() + lateMs })
  open.push(() => void own.close(AbortSignal.abort()))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  open.push(() => agent.destroy())
  const asked = { ...certificates.admin, agent, port: own.port }
  const client = connectHttp2(`https://127.0.0.1:${own.port}`, { ...ca(), ...certificates.admin })
  open.push(() => client.destroy())
  const both = async (): Promise<string> =>
    `${(await get('/', asked)).body} ${(await getHttp2(client, '/')).body}`
  const endMs = new X509Certificate(certificates.admin.cert).validToDate.getTime()
  assert.equal(await both(), 'client client')
  const [used] = Object.values(agent.freeSockets).flat()
  lateMs = endMs - nodeClock.wallMs() - 60_000
  assert.equal(await both(), 'client client')
  lateMs = endMs - nodeClock.wallMs() + 60_000
  assert.equal(await both(), 'none none')
  assert.equal(Object.values(agent.freeSockets).flat()[0], used, 'the connection is the same')
})

test('sockets: other authorities also count for connections that are open', async () => {
  const answers: (() => void)[] = []
  handle = async ({ peer, target }) => {
    if (target === '/held') await new Promise<void>((resolve) => answers.push(resolve))
    return text(peer?.anchor ?? '')
  }
  const other = await createCertificates({ hostnames: [], addresses: [], nowMs: nodeClock.wallMs() })
  const own = await start()
  open.push(() => void own.close(AbortSignal.abort()))
  const [one, two] = [certificates.authority.cert, other.authority.cert]
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  open.push(() => agent.destroy())
  const asked = async (path: string) => {
    const { body, headers } = await get(path, { ...other.admin, agent, port: own.port })
    return { anchor: body.toString(), connection: headers['connection'] }
  }
  const client = connectHttp2(`https://127.0.0.1:${own.port}`, { ...ca(), ...other.admin })
  open.push(() => client.destroy())
  const kept = { anchor: 'none', connection: 'keep-alive' }
  assert.deepEqual(await asked('/'), kept)
  assert.equal((await getHttp2(client, '/')).body.toString(), 'none')
  // A front proxy connected before this server knew its CA. It has to connect again: TLS verifies at the handshake only.
  const [idle] = Object.values(agent.freeSockets).flat()
  assert.ok(idle)
  const ended = Promise.all([once(client, 'goaway'), once(idle, 'close')])
  own.setAuthorities({ clientCa: one, requestHeaderCa: two })
  await ended
  assert.deepEqual(await asked('/'), { anchor: 'request-header', connection: 'keep-alive' })
  // A CA is withdrawn while a request is under way. The next one is not believed, whichever connection it uses.
  const held = asked('/held')
  while (answers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  own.setAuthorities({ clientCa: one })
  answers[0]?.()
  assert.deepEqual(await held, { anchor: 'request-header', connection: 'close' })
  assert.equal((await asked('/')).anchor, 'none')
})

test('sockets: large answers are compressed for those who can read it, watches never', async () => {
  const large = 'x'.repeat(200_000)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 4; at++) yield Buffer.from(large)
  }
  handle = async ({ target }) => {
    if (target === '/small') return text('x')
    return target === '/bytes' ? text(large) : { ...text(''), body: chunks() }
  }
  const ask = (path: string) => get(path, { headers: { 'accept-encoding': 'gzip, br' } })
  const bytes = await ask('/bytes')
  assert.deepEqual([bytes.headers['content-encoding'], bytes.headers['vary']], ['gzip', 'Accept-Encoding'])
  assert.equal(gunzipSync(bytes.body).toString(), large)
  const streamed = await ask('/list')
  assert.equal(streamed.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(streamed.body).toString(), large.repeat(4))
  assert.equal((await ask('/small')).headers['content-encoding'], undefined)
  assert.equal((await get('/bytes')).headers['content-encoding'], undefined)
  const watch = await ask('/api/v1/configmaps?watch=1')
  assert.equal(watch.headers['content-encoding'], undefined)
  assert.equal(watch.body.length, 4 * large.length)
})

test('sockets: a request that can be read in two ways is refused', async () => {
  handle = readsAll
  const smuggled = [
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello',
    'GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\0\r\n\r\n',
  ]
  for (const bytes of smuggled) {
    const raw = await socket()
    raw.write(bytes)
    const answer = await rest(raw)
    assert.match(answer, /^HTTP\/1\.1 400 /, bytes)
    assert.equal(answer.split('HTTP/1.1').length, 2, answer)
  }
})

test('sockets: a body over the limit is refused, said or unsaid how long it is', async () => {
  handle = readsAll
  assert.equal((await get('/', { method: 'POST' }, 'x'.repeat(1000))).body.toString(), '1000')
  const long = 'x'.repeat(2_000_000)
  assert.equal((await get('/', { method: 'POST' }, long)).status, 413)
  const chunked = { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }
  assert.equal((await get('/', chunked, long)).status, 413)
  const client = session()
  assert.equal((await getHttp2(client, '/', { ':method': 'POST' }, long)).status, 413)
  assert.equal((await getHttp2(client, '/', { ':method': 'POST' }, 'abc')).body.toString(), '3')
})

test('sockets: headers that come a byte at a time are not waited for', { timeout: 40_000 }, async () => {
  handle = async () => text('')
  const slow = await socket()
  slow.write('GET / HTTP/1.1\r\nHost: a\r\n')
  const drip = nodeClock.after(2_000, () => slow.write('X: y\r\n'))
  assert.match(await rest(slow), /^HTTP\/1\.1 408 |^$/)
  drip()
})

test('sockets: a client that goes away ends what was done for it', async () => {
  const ended: string[] = []
  const begun = Promise.withResolvers<void>()
  handle = async ({ signal, target }) => {
    begun.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    ended.push(target)
    return text('')
  }
  const raw = await socket()
  raw.write('GET /one HTTP/1.1\r\nHost: a\r\n\r\n')
  await begun.promise
  raw.destroy()
  const client = session()
  const stream = client.request({ ':path': '/two' })
  stream.on('error', () => {})
  await new Promise((resolve) => nodeClock.after(200, () => resolve(undefined)))
  stream.close(8)
  for (let wait = 0; wait < 50 && ended.length < 2; wait++) {
    await new Promise((resolve) => nodeClock.after(20, () => resolve(undefined)))
  }
  assert.deepEqual(ended.sort(), ['/one', '/two'])
})

test('sockets: a slow reader is waited for, and not buffered for', async () => {
  let made = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    while (true) {
      made++
      yield Buffer.alloc(64 * 1024)
    }
  }
  handle = async () => ({ ...text(''), body: endless() })
  const raw = await socket()
  raw.pause()
  raw.write('GET /one HTTP/1.1\r\nHost: a\r\n\r\n')
  const client = session()
  const stream = client.request({ ':path': '/two' })
  stream.on('error', () => {})
  stream.pause()
  await new Promise((resolve) => nodeClock.after(1_500, () => resolve(undefined)))
  assert.ok(made < 500, `${made} chunks of 64 KiB for two readers that read nothing`)
  raw.destroy()
  stream.close(8)
})

test('sockets: a thousand idle watches, and still answers at once', { timeout: 120_000 }, async () => {
  async function* silent(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  handle = async ({ target, signal }) =>
    target === '/livez' ? text('ok') : { ...text(''), body: silent(signal) }
  const sessions = Array.from({ length: 10 }, () => session())
  const watches = sessions.flatMap((client) =>
    Array.from({ length: 100 }, () => client.request({ ':path': '/watch' })),
  )
  for (const watch of watches) watch.on('error', () => {})
  await Promise.all(watches.map((watch) => once(watch, 'response')))
  const begun = nodeClock.monotonicMs()
  assert.equal((await get('/livez')).body.toString(), 'ok')
  const client = sessions[0]
  assert.ok(client)
  assert.equal((await getHttp2(client, '/livez')).body.toString(), 'ok')
  assert.ok(nodeClock.monotonicMs() - begun < 2_000)
  for (const each of sessions) each.destroy()
})

test('sockets: a request in plain HTTP is answered that it needs HTTPS, and the connection ends', async () => {
  const plain = connectPlain({ host: '127.0.0.1', port: listener.port, allowHalfOpen: true })
  plain.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  const answer = Buffer.from(await readAll(plain)).toString()
  assert.equal(answer, 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n')
  // The client keeps its half open, and the server does not.
  const gone = once(plain, 'error')
  const beat = setInterval(() => plain.write('more'), 10)
  await gone
  clearInterval(beat)
})

test('sockets: closing lets answers finish, tells clients to go, and takes no new ones', async () => {
  const closing = await start()
  const held = Promise.withResolvers<HttpResponse>()
  let begun = 0
  handle = () => {
    begun++
    return held.promise
  }
  const agent = new Agent({ keepAlive: true })
  const first = request({ host: '127.0.0.1', port: closing.port, path: '/', agent, ...ca() })
  const answered = once(first, 'response')
  first.end()
  const client = connectHttp2(`https://127.0.0.1:${closing.port}`, ca())
  const second = getHttp2(client, '/')
  const goaway = once(client, 'goaway')
  while (begun < 2) await new Promise((resolve) => nodeClock.after(10, () => resolve(undefined)))
  const closed = closing.close(AbortSignal.timeout(10_000))
  held.resolve(text('late'))
  const [response] = await answered
  assert.equal(response.headers.connection, 'close')
  assert.equal(Buffer.from(await readAll(response)).toString(), 'late')
  assert.equal((await second).body.toString(), 'late')
  await goaway
  const begunClosing = nodeClock.monotonicMs()
  await closed
  assert.ok(nodeClock.monotonicMs() - begunClosing < 5_000)
  agent.destroy()
})
