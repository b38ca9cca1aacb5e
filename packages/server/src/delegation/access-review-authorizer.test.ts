import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessReviewStatus } from '@strata/api'
import { TransportError } from '@strata/world'
import { type Access, AccessUndecided, type Authorizer, resourceAccess } from '../authorization/index.ts'
import { createAccessReviewAuthorizer, decideAccess, reviewSpec } from './access-review-authorizer.ts'
import { type Answering, json, silence, TestAggregator } from './aggregator-for-test.ts'

const ann = { name: 'ann', groups: ['dev'], uid: '7', extra: { k: ['v'] } }
const target = {
  group: 'shop.dev',
  versionName: 'v1',
  resource: 'things',
  subresource: '',
  namespace: 'a',
  name: '',
}
const on = (verb: string, more: Partial<typeof target> = {}, query = ''): Access => ({
  ...{ verb, path: '/x', target: { ...target, ...more }, query: new URLSearchParams(query) },
})
const who = { user: 'ann', groups: ['dev'], extra: { k: ['v'] }, uid: '7' }
const { versionName: version, ...rest } = target
const asked = (verb: string, more = {}) => ({
  resourceAttributes: { ...rest, version, verb, ...more },
  ...who,
})

const selectors = 'fieldSelector=metadata.name%3Db&labelSelector=a%3Db'
const specs: ReadonlyArray<[name: string, access: Access, want: object]> = [
  ['an object', on('get', { name: 'b' }), asked('get', { name: 'b' })],
  [
    'a subresource',
    on('update', { name: 'b', subresource: 'status' }),
    asked('update', { name: 'b', subresource: 'status' }),
  ],
  [
    'selectors',
    on('list', {}, selectors),
    asked('list', {
      fieldSelector: { rawSelector: 'metadata.name=b' },
      labelSelector: { rawSelector: 'a=b' },
    }),
  ],
  ['selectors where there are none', on('get', { name: 'b' }, selectors), asked('get', { name: 'b' })],
  [
    'a path',
    { verb: 'get', path: '/metrics', target: undefined },
    { nonResourceAttributes: { path: '/metrics', verb: 'get' }, ...who },
  ],
]
for (const [name, access, want] of specs) {
  test(`a subject access review about ${name}`, () => assert.deepEqual(reviewSpec(ann, access), want))
}

test('a subject access review of a user without uid and extra', () => {
  const spec = reviewSpec({ name: 'bob', groups: [] }, { verb: 'get', path: '/x', target: undefined })
  assert.deepEqual(spec, { nonResourceAttributes: { path: '/x', verb: 'get' }, user: 'bob', groups: [] })
})

const answers: ReadonlyArray<[name: string, status: unknown, want: string]> = [
  ['allowed', { allowed: true, reason: 'r' }, 'allowed: r'],
  ['not allowed', { allowed: false, reason: 'r' }, 'forbidden: r'],
  ['denied', { allowed: false, denied: true }, 'forbidden: '],
  [
    'both',
    { allowed: true, denied: true },
    'undecided: webhook subject access review returned both allow and deny response',
  ],
  ['nothing', undefined, 'forbidden: '],
  ['allowed in another type', { allowed: 'true' }, 'forbidden: '],
]
for (const [name, status, want] of answers) {
  test(`an answered access review: ${name}`, () => {
    const seen = (): string => {
      try {
        const { allowed, reason } = decideAccess({ metadata: {}, status: status as AccessReviewStatus })
        return `${allowed ? 'allowed' : 'forbidden'}: ${reason}`
      } catch (error) {
        assert.ok(error instanceof AccessUndecided)
        return `undecided: ${error.why}`
      }
    }
    assert.equal(seen(), want)
  })
}

function start(answer: Answering): { remote: TestAggregator; authorizer: Authorizer } {
  const remote = new TestAggregator('access', answer)
  return { remote, authorizer: createAccessReviewAuthorizer(remote.aggregator, remote.world) }
}
const namesA: Answering = ({ spec }) =>
  json(201, { metadata: {}, status: { allowed: spec.resourceAttributes?.name === 'a', reason: 'r' } })
const away: Answering = () => Promise.reject(new TransportError('connection refused', 'no'))

test('access by review: an answer is kept for ten seconds, allowed or not', async () => {
  const { remote, authorizer } = start(namesA)
  for (const name of ['a', 'b']) {
    const before = remote.sent.length
    const want = { allowed: name === 'a', reason: 'r' }
    assert.deepEqual(await remote.settle(authorizer.authorize(ann, on('get', { name }))), want)
    await remote.sleep(9_900)
    assert.deepEqual(authorizer.authorize(ann, on('get', { name })), want)
    assert.equal(remote.sent.length, before + 1)
    await remote.sleep(200)
    await remote.settle(authorizer.authorize(ann, on('get', { name })))
    assert.equal(remote.sent.length, before + 2)
  }
})

test('access by review: the same question is asked once at a time; other users and verbs are others', async () => {
  const { remote, authorizer } = start(namesA)
  const bob = { ...ann, name: 'bob' }
  const more = { ...ann, extra: { k: ['w'] } }
  const all = [ann, ann, bob, more].map((each) => authorizer.authorize(each, on('get', { name: 'a' })))
  all.push(
    authorizer.authorize(ann, on('list', {}, 'labelSelector=a')),
    authorizer.authorize(ann, on('list')),
  )
  await remote.settle(Promise.all(all))
  assert.equal(remote.sent.length, 5)
})

test('access by review: away means undecided, and is not remembered', async () => {
  for (const answer of [away, silence, () => json(403, {})]) {
    const { remote, authorizer } = start(answer)
    for (let turn = 1; turn <= 2; turn++) {
      await assert.rejects(
        remote.settle(authorizer.authorize(ann, on('get', { name: 'a' }))),
        AccessUndecided,
      )
      assert.equal(remote.sent.length, turn)
    }
  }
})

test('access by review: superusers and health checks are not asked about', () => {
  const { remote, authorizer } = start(away)
  const root = { name: 'root', groups: ['system:masters'] }
  const allowed = { allowed: true, reason: '' }
  assert.deepEqual(authorizer.authorize(root, on('delete')), allowed)
  for (const path of ['/healthz', '/livez', '/readyz']) {
    assert.deepEqual(authorizer.authorize(ann, { verb: 'get', path, target: undefined }), allowed)
  }
  assert.equal(remote.sent.length, 0)
})

test('access by review: other paths, and resources of such names, are asked about', async () => {
  const { remote, authorizer } = start(namesA)
  const paths = ['/', '/healthzz', '/metrics', '/readyz/ping', '/livez/../metrics']
  const others: Access[] = [
    ...paths.map((path) => ({ verb: 'get', path, target: undefined })),
    resourceAccess('get', { resource: 'healthz' }),
  ]
  for (const access of others) {
    assert.equal((await remote.settle(authorizer.authorize(ann, access))).allowed, false)
  }
  assert.equal(remote.sent.length, others.length)
})

test('access by review: questions with long names are not kept', async () => {
  const { remote, authorizer } = start(namesA)
  const long = on('get', { name: 'x'.repeat(10_000) })
  for (let turn = 0; turn < 2; turn++) await remote.settle(authorizer.authorize(ann, long))
  assert.equal(remote.sent.length, 2)
})
