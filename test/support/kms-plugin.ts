// A KMS v2 plugin in a process of its own, with keys in a file that tests change: `node kms-plugin.ts <socket> <file>`. Its
// protobuf is written out here, so that it shares no mistake with the server's.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type ServerHttp2Stream } from 'node:http2'

const [, , socket = '', file = ''] = process.argv

interface Settings {
  /** The one that it encrypts with. */
  readonly current: string
  /** Those that it can still decrypt with. */
  readonly known: readonly string[]
  readonly healthz?: string
}

const settings = (): Settings => JSON.parse(readFileSync(file, 'utf8')) as Settings
const keyOf = (id: string): Buffer => createHash('sha256').update(`local key ${id}`).digest()

type Fields = ReadonlyMap<number, Buffer>

function parse(message: Buffer): Fields {
  const fields = new Map<number, Buffer>()
  for (let at = 0; at < message.length; ) {
    const field = (message[at++] ?? 0) >> 3
    let size = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0
      size += (byte & 127) << shift
      if (byte < 128) break
    }
    fields.set(field, message.subarray(at, at + size))
    at += size
  }
  return fields
}

function field(number: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value)
  const size: number[] = []
  let rest = bytes.length
  for (; rest > 127; rest >>= 7) size.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...size, rest]), bytes])
}

function answer(method: string, fields: Fields): Buffer {
  const { current, known, healthz = 'ok' } = settings()
  if (method === 'Status') return Buffer.concat([field(1, 'v2'), field(2, healthz), field(3, current)])
  if (method === 'Encrypt') {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keyOf(current), nonce)
    const body = Buffer.concat([cipher.update(fields.get(1) ?? Buffer.alloc(0)), cipher.final()])
    const note = field(3, Buffer.concat([field(1, 'local.example.dev'), field(2, 'noted')]))
    return Buffer.concat([
      field(1, Buffer.concat([nonce, cipher.getAuthTag(), body])),
      field(2, current),
      note,
    ])
  }
  const id = fields.get(3)?.toString() ?? ''
  if (!known.includes(id)) throw new Error(`there is no key ${id}`)
  if (
    parse(fields.get(4) ?? Buffer.alloc(0))
      .get(2)
      ?.toString() !== 'noted'
  )
    throw new Error('the annotation is lost')
  const wrapped = fields.get(1) ?? Buffer.alloc(0)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(id), wrapped.subarray(0, 12))
  decipher.setAuthTag(wrapped.subarray(12, 28))
  return field(1, Buffer.concat([decipher.update(wrapped.subarray(28)), decipher.final()]))
}

function respond(stream: ServerHttp2Stream, path: string, request: Buffer): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  let status: Record<string, string> = { 'grpc-status': '0' }
  stream.on('wantTrailers', () => stream.sendTrailers(status))
  try {
    const message = answer(path.split('/').at(-1) ?? '', parse(request.subarray(5)))
    const head = Buffer.alloc(5)
    head.writeUInt32BE(message.length, 1)
    stream.end(Buffer.concat([head, message]))
  } catch (error) {
    status = { 'grpc-status': '2', 'grpc-message': encodeURIComponent(String(error)) }
    stream.end()
  }
}

const server = createServer()
server.on('stream', (opened, headers) => {
  const stream = opened as ServerHttp2Stream
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('error', () => {})
  stream.on('end', () => respond(stream, String(headers[':path']), Buffer.concat(chunks)))
})
server.listen(socket, () => process.stdout.write('listening\n'))
process.on('SIGTERM', () => process.exit(0))
