import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { DeadlineExceeded, TransportError } from '@strata/world'
import { CliError, explain } from './errors.ts'

const right = 'User "eve" cannot list resource "lamps" in API group "light.example.dev" at the cluster scope'
const failed = (code: string, message: string): TransportError =>
  new TransportError(`GET https://127.0.0.1:6443: ${message}`, 'no', {
    cause: Object.assign(new Error(message), { code }),
  })

const cases: readonly [name: string, error: Error, says: RegExp][] = [
  [
    'a missing permission is named',
    new ApiError(403, 'Forbidden', `lamps.light.example.dev is forbidden: ${right}`),
    /^not allowed: User "eve" cannot list resource "lamps" in API group "light\.example\.dev" at the cluster scope$/,
  ],
  [
    'a forbidden path',
    new ApiError(403, 'Forbidden', 'forbidden: User "eve" cannot get path "/apis"'),
    /^not allowed: User "eve" cannot get path "\/apis"$/,
  ],
  [
    'a server that is frozen',
    new DeadlineExceeded('not finished within 30000 ms'),
    /^asked: not finished within 30000 ms; the server accepts requests and does not answer; try another one with --context$/,
  ],
  [
    'the same, by the limit of the connection',
    new TransportError('no answer within 90 s', 'unknown', { cause: new DeadlineExceeded('late') }),
    /^asked: no answer within 90 s; the server accepts requests and does not answer/,
  ],
  ['a proxy that says no', new ApiError(403, '', 'go away'), /^not allowed: go away$/],
  [
    'credentials',
    new ApiError(401, 'Unauthorized', 'Unauthorized'),
    /^the server does not accept the credentials of the kubeconfig context \(401\): .*kubectl config view/,
  ],
  [
    'another authority',
    failed('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'),
    /^asked: GET https:\S+: self-signed .*; the server's certificate is not signed by certificate-authority-data of the kubeconfig/,
  ],
  [
    'a certificate for another name',
    failed('ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames"),
    /altnames; the server's certificate is for other names: set tls-server-name in the kubeconfig/,
  ],
  [
    'no server listens',
    failed('ECONNREFUSED', 'connect ECONNREFUSED'),
    /^asked: .*ECONNREFUSED; is the server running\?$/,
  ],
  [
    'a server that speaks TLS, and says so',
    new ApiError(400, '', 'Client sent an HTTP request to an HTTPS server.\n'),
    /^asked: the server speaks TLS: write https:\/\/ in clusters\[\]\.cluster\.server of the kubeconfig$/,
  ],
  [
    'a server that speaks TLS',
    new TransportError('GET http://127.0.0.1:6443: socket hang up', 'unknown'),
    /^asked: .*hang up; does the server speak TLS\? Then its address begins with https:\/\/$/,
  ],
  [
    'no such thing',
    new ApiError(404, 'NotFound', 'no'),
    /^asked: the server answered 404 NotFound: no \(is this a Strata/,
  ],
]

for (const [name, error, says] of cases) {
  test(`explain: ${name}`, () => {
    const explained = explain('asked', error, 5)
    assert.ok(explained instanceof CliError)
    assert.match(explained.message, says)
    assert.equal(explained.exitCode, 5)
  })
}
