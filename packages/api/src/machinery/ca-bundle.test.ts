import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caBundleProblem } from './ca-bundle.ts'

const pem = (type: string, body: string): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`
const problem = 'unable to load root certificates: '
const sequence = btoa('\x30\x03abc')
const long = btoa(`\x30\x82\x01\x00${'x'.repeat(256)}`)

const cases: readonly [name: string, bundle: string, problem: string | undefined][] = [
  ['nothing', '', undefined],
  ['a certificate', pem('CERTIFICATE', sequence), undefined],
  ['a long one, over lines', pem('CERTIFICATE', long.replace(/.{64}/g, '$&\n')), undefined],
  ['one beside a key', pem('PRIVATE KEY', 'eA==') + pem('CERTIFICATE', sequence), undefined],
  ['no PEM', 'hello', `${problem}unable to parse bytes as PEM block`],
  ['only a key', pem('PRIVATE KEY', 'eA=='), `${problem}no valid certificate authority data seen`],
  [
    'a certificate that is cut off',
    pem('CERTIFICATE', btoa('\x30\x05abc')),
    `${problem}failed to parse certificate: x509: malformed certificate`,
  ],
]
for (const [name, bundle, want] of cases) {
  test(`authorities: ${name}`, () => assert.equal(caBundleProblem(btoa(bundle)), want))
}
