import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeContinue, encodeContinue } from './continue-token.ts'

const prefix = '/registry/configmaps/default/'
const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

test('continue token: is the one of upstream, relative to the list and without padding', () => {
  const token = encodeContinue(prefix, { revision: 42, after: `${prefix}b` })
  assert.equal(
    Buffer.from(token, 'base64url').toString(),
    '{"v":"meta.k8s.io/v1","rv":42,"start":"b\\u0000"}',
  )
  assert.doesNotMatch(token, /=/)
  assert.deepEqual(decodeContinue(prefix, token), { revision: 42, after: `${prefix}b` })
})

test('continue token: one that goes on at the newest revision is known by its sign', () => {
  const token = encodeContinue(prefix, { revision: -1, after: `${prefix}b` })
  assert.deepEqual(decodeContinue(prefix, token), { revision: -1, after: `${prefix}b` })
})

test('continue token: a start that is a key itself includes that key', () => {
  const { after } = decodeContinue(prefix, text({ v: 'meta.k8s.io/v1', rv: 1, start: 'b' }))
  for (const key of ['b', 'ba', 'c']) assert.ok(prefix + key > after, key)
  for (const key of ['a', 'az', 'azzz']) assert.ok(prefix + key < after, key)
})

const v = 'meta.k8s.io/v1'
const refused: ReadonlyArray<[name: string, token: string, why: string]> = [
  ['no base64', '%%', 'illegal base64 data at input byte 0'],
  ['a character that stands alone', 'YWJjZ', 'illegal base64 data at input byte 4'],
  ['no JSON', 'abc', "invalid character 'i' looking for beginning of value"],
  ['another version', text({}), 'server does not recognize this encoded version '],
  ['no revision', text({ v }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  ['no start', text({ v, rv: 5 }), 'encoded start key empty (version meta.k8s.io/v1)'],
  ['a way out', text({ v, rv: 5, start: '../secrets/a' }), '../secrets/a'],
  ['a way out in the middle', text({ v, rv: 5, start: 'a/../../b' }), 'a/../../b'],
  ['an empty segment', text({ v, rv: 5, start: 'a//b' }), 'a//b'],
  [
    'a revision in words',
    text({ v, rv: 'x', start: 'a' }),
    'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
  ],
]
for (const [name, token, why] of refused) {
  test(`continue token: ${name} is refused`, () => {
    assert.throws(() => decodeContinue(prefix, token), {
      code: 400,
      message: `invalid continue token: continue key is not valid: ${why}`,
    })
  })
}
