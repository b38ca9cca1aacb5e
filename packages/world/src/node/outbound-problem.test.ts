import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outboundProblem } from './outbound-problem.ts'

const failed = (fields: object, message = 'some words'): Error => Object.assign(new Error(message), fields)
const x509 = 'tls: failed to verify certificate: x509: '
const refused = { code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.1', port: 443 }

const cases: ReadonlyArray<[name: string, error: unknown, words: string]> = [
  ['no server listens', failed(refused), 'dial tcp 10.0.0.1:443: connect: connection refused'],
  [
    'at an IPv6 address',
    failed({ ...refused, address: '::1' }),
    'dial tcp [::1]:443: connect: connection refused',
  ],
  [
    'at none of several',
    new AggregateError([failed(refused)]),
    'dial tcp 10.0.0.1:443: connect: connection refused',
  ],
  [
    'no such name',
    failed({ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'h' }),
    'dial tcp: lookup h: no such host',
  ],
  [
    'a stranger',
    failed({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
    `${x509}certificate signed by unknown authority`,
  ],
  ['too old', failed({ code: 'CERT_HAS_EXPIRED' }), `${x509}certificate has expired or is not yet valid`],
  [
    'another name',
    failed({ code: 'ERR_TLS_CERT_ALTNAME_INVALID', cert: { subjectaltname: 'DNS:a, IP Address:127.0.0.1' } }),
    `${x509}certificate is valid for a, 127.0.0.1, not me`,
  ],
  [
    'a certificate without a name',
    failed({ code: 'ERR_TLS_CERT_ALTNAME_INVALID', cert: {} }),
    `${x509}certificate is not valid for any names, but wanted to match me`,
  ],
  ['gone without a word', failed({ code: 'ECONNRESET' }, 'socket hang up'), 'EOF'],
  ['gone in the middle', failed({ code: 'ECONNRESET' }, 'aborted'), 'unexpected EOF'],
  ['reset', failed({ code: 'ECONNRESET', syscall: 'read' }), 'read tcp: read: connection reset by peer'],
  [
    'no HTTP',
    failed({ code: 'HPE_INVALID_CONSTANT' }, 'Parse Error'),
    'net/http: HTTP/1.x transport connection broken: Parse Error',
  ],
  ['something else', failed({}), 'some words'],
  ['nothing', undefined, 'undefined'],
]
for (const [name, error, words] of cases) {
  test(`outbound problem: ${name}`, () => assert.equal(outboundProblem(error, 'me'), words))
}
