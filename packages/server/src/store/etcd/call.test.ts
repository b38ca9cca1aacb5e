import assert from 'node:assert/strict'
import { constants, createServer, type ServerHttp2Stream } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import { callUnary } from './call.ts'
import { classify, RpcError, type Verdict } from './classify-error.ts'
import { forever, open, put } from './open-for-test.ts'
import { Session } from './session.ts'

const timing = { connectMs: 2_000, silenceMs: 1_500, pingGapMs: 5_500, answerMs: 1_500 }

/** A peer that takes the whole request and then does `act`. */
async function startPeer(t: TestContext, act: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {})
    stream.on('end', () => act(stream))
    stream.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return `http://127.0.0.1:${address.port}`
}

const cases: ReadonlyArray<[what: string, act: (stream: ServerHttp2Stream) => void, want: Verdict]> = [
  ['refuses the stream', (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM), 'not-begun'],
  ['cancels the stream', (stream) => stream.close(constants.NGHTTP2_CANCEL), 'unknown'],
  // Node gives every stream of the connection the code that ended the connection.
  [
    'ends the connection with the code for a refused stream',
    ({ session, id }) => session?.goaway(constants.NGHTTP2_REFUSED_STREAM, id),
    'unknown',
  ],
  ['destroys the connection', ({ session }) => session?.destroy(), 'unknown'],
  [
    'answers with HTTP status 503',
    (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
    'unknown',
  ],
]

for (const [what, act, want] of cases) {
  test(`etcd call: a peer that takes the request and ${what} leaves it ${want}`, async (t) => {
    const endpoint = await startPeer(t, act)
    const session = await Session.connect({ endpoint, tls: undefined, clock: nodeClock, timing })
    t.after(() => session.close())
    await assert.rejects(callUnary(session, '/x', Buffer.alloc(8), forever), (error) => {
      assert.ok(error instanceof RpcError)
      assert.equal(classify(error), want, error.message)
      return true
    })
  })
}

test('etcd call: an answer to a commit that cannot be read leaves its outcome unknown', async (t) => {
  let answered = 0
  const endpoint = await startPeer(t, (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    // The first two answers are to the reads that open the store: of cluster 7, and well formed. The third is no message.
    const message = answered++ < 2 ? Buffer.from([0x0a, 2, 0x08, 7]) : Buffer.from([0xff, 0xff, 0xff])
    stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]))
  })
  const store = await open([endpoint])
  t.after(() => store.close())
  const failed = await store.commit(put('/key'), forever).then(
    () => assert.fail('the answer could be read'),
    (error: unknown) => error,
  )
  assert.ok(!(failed instanceof StoreUnavailable))
  assert.ok(failed instanceof OutcomeUnknown, String(failed))
})
