import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { hasValidSignature, parseToken, signToken } from './json-web-token.ts'
import { type SigningKey, signingKey } from './signing-key.ts'

const onCurve = (namedCurve: string): SigningKey =>
  signingKey(generateKeyPairSync('ec', { namedCurve }).privateKey)
const ours = onCurve('P-256')
const other = onCurve('P-256')
const rsa = signingKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const keys = [ours, rsa, onCurve('P-384')]

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = { sub: 'bot' }

/** A token with a given header, signed by `signature`. */
function forged(header: object, signature: (signed: string) => string): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${signature(signed)}`
}
const [head = '', body = '', signature = ''] = signToken(ours, claims).split('.')
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
const withSecret = (secret: string | Buffer) => (signed: string) =>
  createHmac('sha256', secret).update(signed).digest('base64url')

const cases: ReadonlyArray<[name: string, token: string, isRight: boolean]> = [
  ['our own', signToken(ours, claims), true],
  ['our own, RSA', signToken(rsa, claims), true],
  ['without the name of a key', signToken({ ...ours, keyId: '' }, claims), true],
  ['by a key that is not ours', signToken(other, claims), false],
  ['by another key in our name', signToken({ ...other, keyId: ours.keyId }, claims), false],
  ['alg none', forged({ alg: 'none' }, () => ''), false],
  ['alg none in our name', forged({ alg: 'none', kid: ours.keyId }, () => ''), false],
  ['alg None, with our signature', forged({ alg: 'None', kid: ours.keyId }, () => signature), false],
  ['the public key as a secret', forged({ alg: 'HS256', kid: rsa.keyId }, withSecret(publicPem)), false],
  ['an empty secret', forged({ alg: 'HS256' }, withSecret('')), false],
  ['another algorithm of the same key', forged({ alg: 'RS256', kid: ours.keyId }, () => signature), false],
  ['other claims', `${head}.${part({ sub: 'root' })}.${signature}`, false],
  ['another header', `${part({ alg: 'ES256', kid: ours.keyId, typ: 'x' })}.${body}.${signature}`, false],
  ['no signature', `${head}.${body}.`, false],
  ['half a signature', `${head}.${body}.${signature.slice(0, 40)}`, false],
  ['a signature of zeros', `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`, false],
]
for (const [name, token, isRight] of cases) {
  test(`token: ${name}`, () => {
    const parsed = parseToken(token)
    assert.ok(parsed)
    assert.equal(hasValidSignature(parsed, keys), isRight)
  })
}

const malformed: readonly string[] = [
  '',
  'x',
  'a.b',
  'a.b.c.d',
  `${head}.${body}.${signature}.`,
  `${head}.${body}.${signature}=`,
  `${part([])}.${body}.${signature}`,
  `${part({})}.${body}.${signature}`,
  `${part({ alg: 1 })}.${body}.${signature}`,
  `${part({ alg: 'ES256', kid: 1 })}.${body}.${signature}`,
  `${part({ alg: 'ES256', crit: ['b64'], b64: false })}.${body}.${signature}`,
  `${head}.${part('text')}.${signature}`,
  `${head}.${Buffer.from('{').toString('base64url')}.${signature}`,
  `${head}.${part({ filler: 'x'.repeat(20_000) })}.${signature}`,
  '{"payload":"","signatures":[]}',
]
for (const token of malformed) {
  test(`token: ${token.slice(0, 60)} is none`, () => assert.equal(parseToken(token), undefined))
}
