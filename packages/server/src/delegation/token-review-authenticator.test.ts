import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TokenReview } from '@strata/api'
import { TransportError } from '@strata/world'
import type { TokenSource, TokenVerdict } from '../authentication/index.ts'
import { type Answering, json, silence, TestAggregator } from './aggregator-for-test.ts'
import { createTokenReviewAuthenticator, decideVerdict } from './token-review-authenticator.ts'

const never = new AbortController().signal
type Status = NonNullable<TokenReview['status']>

const rows: ReadonlyArray<[name: string, status: Status, wanted: readonly string[], want: string]> = [
  [
    'a user',
    { authenticated: true, user: { username: 'bob', uid: '7', groups: ['a'], extra: { k: ['v'] } } },
    [],
    'bob 7 a|system:authenticated k=v',
  ],
  ['no status', {}, [], 'refused: invalid bearer token'],
  [
    'not authenticated',
    { authenticated: false, user: { username: 'bob' } },
    [],
    'refused: invalid bearer token',
  ],
  ['a reason', { error: 'expired' }, [], 'refused: expired'],
  [
    'authenticated in another type',
    { authenticated: 'true' as never, user: { username: 'bob' } },
    [],
    'refused: invalid bearer token',
  ],
  [
    'no name',
    { authenticated: true, user: { groups: ['system:masters'] } },
    [],
    'refused: the answer of the aggregator names no user',
  ],
  [
    'the audience',
    { authenticated: true, user: { username: 'bob' }, audiences: ['x', 'me'] },
    ['me'],
    'bob  system:authenticated',
  ],
  [
    'another audience',
    { authenticated: true, user: { username: 'bob' }, audiences: ['x'] },
    ['me'],
    'foreign',
  ],
  ['no word about audiences', { authenticated: true, user: { username: 'bob' } }, ['me'], 'foreign'],
]
function shown(verdict: TokenVerdict): string {
  if (verdict === 'foreign') return verdict
  if ('refused' in verdict) return `refused: ${verdict.refused}`
  const { name, uid = '', groups, extra = {} } = verdict.user
  const more = Object.entries(extra).map(([key, values]) => ` ${key}=${values.join('|')}`)
  return `${name} ${uid} ${groups.join('|')}${more.join('')}`
}
for (const [name, status, wanted, want] of rows) {
  test(`an answered token review: ${name}`, () =>
    assert.equal(shown(decideVerdict({ metadata: {}, status }, wanted)), want))
}

function start(answer: Answering): { remote: TestAggregator; tokens: TokenSource } {
  const remote = new TestAggregator('tokens', answer)
  return { remote, tokens: createTokenReviewAuthenticator(remote.aggregator, remote.world) }
}
const accepts: Answering = ({ spec }) =>
  json(201, {
    metadata: {},
    status:
      spec.token === 'bad'
        ? { authenticated: false }
        : { authenticated: true, user: { username: `of ${spec.token}` } },
  })

test('tokens by review: an answer is kept for ten seconds, good or bad', async () => {
  const { remote, tokens } = start(accepts)
  for (const token of ['good', 'bad']) {
    const before = remote.sent.length
    const first = await remote.settle(tokens.authenticate(token, never, []))
    assert.equal(
      shown(first),
      token === 'bad' ? 'refused: invalid bearer token' : 'of good  system:authenticated',
    )
    await remote.sleep(9_900)
    // Known at once, without a promise.
    assert.equal(tokens.authenticate(token, never, []), first)
    assert.equal(remote.sent.length, before + 1)
    await remote.sleep(200)
    await remote.settle(tokens.authenticate(token, never, []))
    assert.equal(remote.sent.length, before + 2)
  }
  assert.deepEqual(remote.sent[0], {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {} },
    spec: { token: 'good' },
  })
})

test('tokens by review: the same token is asked about once at a time, others for themselves', async () => {
  const { remote, tokens } = start(async (...asked) => {
    await remote.world.clock.soon(() => {})
    return accepts(...asked)
  })
  const asked = ['a', 'b', 'a', 'a'].map((token) => tokens.authenticate(token, never, []))
  const verdicts = await remote.settle(Promise.all(asked))
  assert.deepEqual(
    verdicts.map((each) => shown(each).split(' ')[1]),
    ['a', 'b', 'a', 'a'],
  )
  assert.equal(remote.sent.length, 2)
})

test('tokens by review: an aggregator that is away authenticates no one, and is asked again', async () => {
  const { remote, tokens } = start(() => Promise.reject(new TransportError('connection refused', 'no')))
  for (let turn = 1; turn <= 2; turn++) {
    const verdict = await remote.settle(tokens.authenticate('good', never, []))
    assert.equal(
      shown(verdict),
      'refused: Post "https://agg:6443/apis/authentication.k8s.io/v1/tokenreviews": connection refused',
    )
    assert.equal(remote.sent.length, turn)
  }
  // An answer that was good a moment ago is not prolonged either.
  remote.answer = accepts
  await remote.settle(tokens.authenticate('good', never, []))
  remote.answer = silence
  await remote.sleep(10_100)
  assert.match(
    shown(await remote.settle(tokens.authenticate('good', never, []))),
    /context deadline exceeded/,
  )
})

test('tokens by review: a client that goes away stops waiting, and others still get the answer', async () => {
  const { remote, tokens } = start(silence)
  const gone = new AbortController()
  const one = Promise.resolve(tokens.authenticate('good', gone.signal, []))
  const two = tokens.authenticate('good', never, [])
  gone.abort(new Error('gone'))
  await assert.rejects(one, { message: 'gone' })
  assert.match(shown(await remote.settle(two)), /context deadline exceeded/)
})

test('tokens by review: more at once than are asked about are sent away', async () => {
  const { remote, tokens } = start(silence)
  const waiting = Array.from({ length: 400 }, (_, index) => tokens.authenticate(`t${index}`, never, []))
  await assert.rejects(async () => tokens.authenticate('one more', never, []), { code: 429 })
  // One that is asked about already costs nothing.
  waiting.push(tokens.authenticate('t7', never, []))
  const verdicts = await remote.settle(Promise.all(waiting))
  assert.ok(verdicts.every((each) => each !== 'foreign' && 'refused' in each))
})
