import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { type HttpResponse, TransportError } from '@strata/world'
import { AggregatorAway } from './aggregator.ts'
import { type Answering, json, silence, TestAggregator } from './aggregator-for-test.ts'

const status = (code: number, reason: string, details = {}): HttpResponse =>
  json(code, { kind: 'Status', apiVersion: 'v1', code, reason, message: `it is ${reason}`, details })
const text = (code: number, body: string): HttpResponse => ({
  ...{ status: code, headers: { 'content-type': 'text/plain' }, body: Buffer.from(body) },
})
const failing =
  (message: string, reached: 'no' | 'unknown'): Answering =>
  () =>
    Promise.reject(new TransportError(message, reached))

type Row = [name: string, answer: Answering, want: string, tries: number]
const rows: readonly Row[] = [
  ['an object', () => json(200, { metadata: { name: 'a' } }), 'a', 1],
  ['a refusal', () => status(403, 'Forbidden'), '403 it is Forbidden', 1],
  ['a refusal of something in between', () => text(403, 'not you'), '403 not you', 1],
  ['not found', () => status(404, 'NotFound'), '404 it is NotFound', 1],
  [
    'no credentials',
    () => text(401, 'x'),
    '401 the server has asked for the client to provide credentials',
    1,
  ],
  ['a failure that may pass', () => status(500, 'InternalError'), '500 it is InternalError', 4],
  ['too many requests', () => status(429, 'TooManyRequests'), '429 it is TooManyRequests', 4],
  ['unavailable', () => status(503, 'ServiceUnavailable'), '503 it is ServiceUnavailable', 1],
  [
    'unavailable for a while',
    () => status(503, 'ServiceUnavailable', { retryAfterSeconds: 1 }),
    '503 it is ServiceUnavailable',
    4,
  ],
  [
    'a refused connection',
    failing('connect: connection refused', 'no'),
    'away: Get "https://agg:6443/x": connect: connection refused',
    1,
  ],
  [
    'a broken connection',
    failing('read: connection reset by peer', 'unknown'),
    'away: Get "https://agg:6443/x": read: connection reset by peer',
    4,
  ],
  ['silence', silence, 'away: Get "https://agg:6443/x": context deadline exceeded', 1],
  [
    'silence of one that does not listen',
    () => new Promise(() => {}),
    'away: Get "https://agg:6443/x": context deadline exceeded',
    1,
  ],
  [
    'no JSON',
    () => text(200, 'hello'),
    'away: Get "https://agg:6443/x": the answer is not an object in JSON',
    1,
  ],
]
for (const [name, answer, want, tries] of rows) {
  test(`asking the aggregator: ${name}`, async () => {
    const remote = new TestAggregator(name, answer)
    const beganMs = remote.world.clock.monotonicMs()
    const got = await remote.settle(
      remote.aggregator.get('/x').then(
        ({ metadata }) => metadata.name,
        (error: unknown) => {
          if (error instanceof ApiError) return `${error.code} ${error.message}`
          assert.ok(error instanceof AggregatorAway)
          return `away: ${error.message}`
        },
      ),
    )
    assert.deepEqual([got, remote.sent.length], [want, tries])
    assert.ok(remote.world.clock.monotonicMs() - beganMs <= 10_000)
  })
}

test('asking the aggregator: a failure that has passed', async () => {
  const remote = new TestAggregator('passes', () => json(200, { metadata: { name: 'b' } }))
  const good = remote.answer
  remote.answer = (...asked) => {
    remote.answer = good
    return failing('read: connection reset by peer', 'unknown')(...asked)
  }
  assert.equal((await remote.settle(remote.aggregator.get('/x'))).metadata.name, 'b')
})
