import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import { type Secret, secrets } from './secret.ts'

const { validate, validateUpdate } = secrets.strategy
const problems = (secret: Partial<Secret>): string[] =>
  (validate?.({ metadata: {}, ...secret }) ?? []).map(fieldErrorText)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('secret: plain text becomes data, and wins over what is there', () => {
  const secret: Secret = { metadata: {}, data: { k: 'b2xk', j: 'MQ==' }, stringData: { k: 'né' } }
  secrets.versions['v1']?.applyDefaults?.(secret)
  assert.deepEqual(secret, { metadata: {}, data: { k: base64('né'), j: 'MQ==' }, type: 'Opaque' })
})

const cases: ReadonlyArray<[name: string, secret: Partial<Secret>, want: readonly string[]]> = [
  ['any type of one’s own', { type: 'example.dev/x' }, []],
  [
    'a token without a service account',
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  [
    'credentials that are no object',
    { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('[]') } },
    [
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ],
  ['a password without a name', { type: 'kubernetes.io/basic-auth', data: { password: '' } }, []],
  [
    'an empty key',
    { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
    ['data[ssh-privatekey]: Required value'],
  ],
  [
    'a certificate without a key',
    { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } },
    ['data[tls.key]: Required value'],
  ],
  ['exactly a mebibyte', { data: { k: Buffer.alloc(1024 * 1024).toString('base64') } }, []],
  [
    'a byte more',
    { data: { k: Buffer.alloc(1024 * 1024 + 1).toString('base64') } },
    ['data: Too long: may not be more than 1048576 bytes'],
  ],
]
for (const [name, secret, want] of cases) {
  test(`secret: ${name}`, () => assert.deepEqual(problems(secret), want))
}

test('secret: the order of keys is no change to an immutable one', () => {
  const stored: Secret = { metadata: {}, type: 'Opaque', immutable: true, data: { a: 'MQ==', b: 'Mg==' } }
  assert.deepEqual(validateUpdate?.({ ...stored, data: { b: 'Mg==', a: 'MQ==' } }, stored), [])
  const changed = validateUpdate?.({ ...stored, data: {} }, stored) ?? []
  assert.deepEqual(changed.map(fieldErrorText), [
    'data: Forbidden: field is immutable when `immutable` is set',
  ])
})
