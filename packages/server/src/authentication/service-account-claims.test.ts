import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideClaims, tokenClaims } from './service-account-claims.ts'

const now = 1_800_000_000
const account = { name: 'bot', uid: 'u-1' }
const secret = { name: 's', uid: 'u-2' }
const issued = {
  namespace: 'ns',
  account,
  secret: undefined,
  audiences: ['api', 'vault'],
  tokenId: 'id',
  issuer: 'https://us',
  nowSeconds: now,
  lifeSeconds: 600,
}
const right = tokenClaims(issued) as Record<string, unknown>
const own = right['kubernetes.io'] as object
const expected = { issuers: ['https://us', 'https://before'], audiences: ['api'], nowMs: now * 1000 }

test('claims: issued claims are accepted for the requested audiences', () => {
  assert.deepEqual(decideClaims(right, expected), {
    accepted: {
      namespace: 'ns',
      account,
      secret: undefined,
      audiences: ['api'],
      expiresAtMs: (now + 600) * 1000,
      tokenId: 'id',
    },
  })
})

test('claims: the secret that a token is bound to comes along', () => {
  const verdict = decideClaims(tokenClaims({ ...issued, secret }) as Record<string, unknown>, expected)
  assert.deepEqual((verdict as { accepted: object }).accepted, {
    namespace: 'ns',
    account,
    secret,
    audiences: ['api'],
    expiresAtMs: (now + 600) * 1000,
    tokenId: 'id',
  })
})

const invalid = 'service account token claims could not be validated'
const kubernetes = (more: object) => ({ 'kubernetes.io': { ...own, ...more } })
const cases: ReadonlyArray<[name: string, change: object, want: string]> = [
  ['an issuer of before', { iss: 'https://before' }, 'accepted'],
  ['one audience as a text', { aud: 'api' }, 'accepted'],
  ['a minute over its end', { exp: now - 60 }, 'accepted'],
  ['a minute before its begin', { nbf: now + 60, iat: now + 60 }, 'accepted'],
  ['neither begin nor birth', { nbf: undefined, iat: undefined }, 'accepted'],
  ['another issuer', { iss: 'https://them' }, 'foreign'],
  ['no issuer', { iss: undefined }, 'foreign'],
  [
    'another audience',
    { aud: ['vault', 'x'] },
    'token audiences ["vault" "x"] is invalid for the target audiences ["api"]',
  ],
  ['no audience', { aud: [] }, 'token audiences [] is invalid for the target audiences ["api"]'],
  ['audiences that are no texts', { aud: [1] }, invalid],
  ['more than a minute over its end', { exp: now - 61 }, 'service account token has expired'],
  ['no end', { exp: undefined }, invalid],
  ['an end that is no number', { exp: '9999999999' }, invalid],
  ['an end that never comes', { exp: Number.POSITIVE_INFINITY }, invalid],
  ['not valid yet', { nbf: now + 61 }, 'service account token is not valid yet'],
  ['issued in the future', { iat: now + 61 }, 'service account token is issued in the future'],
  ['another subject', { sub: 'system:serviceaccount:ns:root' }, invalid],
  ['no account', kubernetes({ serviceaccount: undefined }), invalid],
  ['an account without uid', kubernetes({ serviceaccount: { name: 'bot' } }), invalid],
  ['nothing of ours', { 'kubernetes.io': undefined }, invalid],
  ['half a secret', kubernetes({ secret: { name: 's' } }), invalid],
  ['bound to a pod, of which there are none', kubernetes({ pod: { name: 'p', uid: 'u' } }), invalid],
  ['bound to a node', kubernetes({ node: { name: 'n', uid: 'u' } }), invalid],
]
for (const [name, change, want] of cases) {
  test(`claims: ${name}`, () => {
    const verdict = decideClaims({ ...right, ...change }, expected)
    const said = verdict === 'foreign' ? 'foreign' : 'refused' in verdict ? verdict.refused : 'accepted'
    assert.equal(said, want)
  })
}
