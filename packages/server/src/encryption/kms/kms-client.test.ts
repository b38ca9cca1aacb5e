import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { createKmsClient, type KmsClient } from './kms-client.ts'

const never = new AbortController().signal
const grpc = { ':status': 200, 'content-type': 'application/grpc' }

/** Headers, then what follows, then trailers. */
function answer(stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string> | undefined): void {
  stream.respond(grpc, { waitForTrailers: trailers !== undefined })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers ?? {}))
  stream.end(body)
}
const frame = (message: Buffer, isCompressed = false): Buffer => {
  const head = Buffer.from([isCompressed ? 1 : 0, 0, 0, 0, 0])
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
const status = Buffer.from([0x0a, 2, ...Buffer.from('v2'), 0x12, 2, ...Buffer.from('ok'), 0x1a, 1, 0x6b])
const well = { 'grpc-status': '0' }

const bad: ReadonlyArray<
  [name: string, respond: (stream: ServerHttp2Stream) => void, problem: Record<string, unknown>]
> = [
  [
    'a text with a percent sign',
    (stream) =>
      stream.respond(
        { ...grpc, 'grpc-status': '13', 'grpc-message': 'quota 100% used' },
        { endStream: true },
      ),
    { name: 'RpcError', code: 13, message: 'quota 100% used' },
  ],
  [
    'a failure without a text',
    (stream) => answer(stream, Buffer.alloc(0), { 'grpc-status': '5' }),
    { name: 'RpcError', code: 5, message: 'the plugin answered with gRPC status 5' },
  ],
  [
    'a page of a proxy',
    (stream) => {
      stream.respond({ ':status': 502, 'content-type': 'text/html' })
      stream.end('<html>bad gateway</html>')
    },
    { name: 'RpcError', message: 'the plugin answered with HTTP status 502' },
  ],
  [
    'a page that is called well',
    (stream) => answer(stream, Buffer.from('<html>hello</html>'), undefined),
    { name: 'MalformedMessage', message: /holds no gRPC frame/ },
  ],
  [
    'a compressed answer',
    (stream) => answer(stream, frame(status, true), well),
    { name: 'MalformedMessage', message: /or a compressed one/ },
  ],
  [
    'an answer without end',
    (stream) => answer(stream, Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1]), well),
    { name: 'MalformedMessage', message: /too long/ },
  ],
  [
    'no message in the answer',
    (stream) => answer(stream, frame(Buffer.from([0x0a, 200])), well),
    { name: 'MalformedMessage' },
  ],
  [
    'an answer that breaks off before it says whether it is well',
    (stream) => answer(stream, frame(status), undefined),
    { message: /closed the connection/ },
  ],
  ['an end in the middle', (stream) => stream.session?.destroy(), { name: 'Error' }],
]

describe('KMS client', () => {
  let home = ''
  let client: KmsClient
  let respond: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void = () => {}
  const server = createServer()
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    stream.resume()
    respond(stream as ServerHttp2Stream, headers)
  })
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-kms-client-'))
    const socket = join(home, 'kms.sock')
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    client = createKmsClient(socket, 5_000, createNodeWorld({ log: silentLog }).clock)
  })
  after(async () => {
    client.close()
    server.close()
    await rm(home, { recursive: true, force: true })
  })

  for (const [name, badly, problem] of bad) {
    test(`KMS client: ${name} fails that one question, and nothing else`, async () => {
      respond = badly
      const failed = await client.status(never).then(
        () => assert.fail('it was taken for an answer'),
        (error: unknown) => error,
      )
      assert.throws(() => {
        throw failed
      }, problem)
      assert.doesNotMatch(String(failed), /etcd/)
      respond = (stream) => answer(stream, frame(status), well)
      assert.deepEqual(await client.status(never), { version: 'v2', healthz: 'ok', keyID: 'k' })
    })
  }
})
