import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { readSigningKey, readVerificationKeys } from './signing-key.ts'

const pair = (make: () => { publicKey: KeyObject; privateKey: KeyObject }) => make()
const onCurve = (namedCurve: string) => pair(() => generateKeyPairSync('ec', { namedCurve }))
const rsa = (modulusLength: number) => pair(() => generateKeyPairSync('rsa', { modulusLength }))
const privatePem = ({ privateKey }: { privateKey: KeyObject }, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8') =>
  privateKey.export({ type, format: 'pem' } as never) as unknown as string
const publicPem = ({ publicKey }: { publicKey: KeyObject }) =>
  publicKey.export({ type: 'spki', format: 'pem' }) as string

const usable: ReadonlyArray<[name: string, pem: string, algorithm: string]> = [
  ['P-256', privatePem(onCurve('P-256')), 'ES256'],
  ['P-384', privatePem(onCurve('P-384')), 'ES384'],
  ['P-521', privatePem(onCurve('P-521')), 'ES512'],
  ['RSA', privatePem(rsa(2048), 'pkcs1'), 'RS256'],
  [
    'what openssl ecparam writes',
    `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${privatePem(onCurve('P-256'), 'sec1')}`,
    'ES256',
  ],
]
for (const [name, pem, algorithm] of usable) {
  test(`signing key: ${name}`, () => {
    const key = readSigningKey(pem)
    assert.equal(key.algorithm, algorithm)
    assert.deepEqual(
      readVerificationKeys(pem).map(({ keyId }) => keyId),
      [key.keyId],
    )
  })
}

test('signing key: its id is the digest of the public half, so that all servers call it the same', () => {
  const keys = onCurve('P-256')
  const der = keys.publicKey.export({ type: 'spki', format: 'der' })
  const [read] = readVerificationKeys(publicPem(keys))
  assert.equal(read?.keyId, createHash('sha256').update(der).digest('base64url'))
})

test('signing key: one file may hold the keys of before and after', () => {
  const keys = readVerificationKeys(publicPem(onCurve('P-256')) + publicPem(rsa(2048)))
  assert.deepEqual(
    keys.map(({ algorithm }) => algorithm),
    ['ES256', 'RS256'],
  )
})

const unusable: ReadonlyArray<[name: string, pem: string, why: RegExp]> = [
  ['nothing', 'hello', /holds no private key in PEM form/],
  ['a public key', publicPem(onCurve('P-256')), /holds no private key/],
  [
    'garbage',
    '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
    /holds a PRIVATE KEY that cannot be read/,
  ],
  ['a short RSA key', privatePem(rsa(1024)), /RSA key of less than 2048 bits/],
  ['another curve', privatePem(onCurve('secp256k1')), /neither RSA nor on the curves/],
  ['another kind', privatePem(pair(() => generateKeyPairSync('ed25519'))), /neither RSA nor/],
]
for (const [name, pem, why] of unusable) {
  test(`signing key: ${name} is refused`, () => assert.throws(() => readSigningKey(pem), why))
}
