import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpHeaders } from '@strata/world'
import { requestHeaders, responseHeadersOf, userHeaders } from './proxy-headers.ts'

const user = { name: 'eve', groups: ['dev', 'system:authenticated'] }
const always = {
  host: 'api.shop.svc:443',
  'audit-id': 'a1',
  'x-remote-user': 'eve',
  'x-remote-group': ['dev', 'system:authenticated'],
}

const rows: ReadonlyArray<[name: string, given: HttpHeaders, want: HttpHeaders]> = [
  ['nothing', {}, {}],
  ['plain headers', { accept: 'x/y', 'user-agent': 'kubectl' }, { accept: 'x/y', 'user-agent': 'kubectl' }],
  ['credentials', { authorization: 'Bearer t', cookie: 'a=b', 'proxy-authorization': 'Basic x' }, {}],
  [
    'a name that the client has chosen',
    {
      'x-remote-user': 'root',
      'x-remote-group': 'system:masters',
      'x-remote-uid': '0',
      'x-remote-extra-a': 'b',
    },
    {},
  ],
  ['the same with underscores', { x_remote_user: 'root', 'x-remote_group': 'system:masters' }, {}],
  ['impersonation, which has been done', { 'impersonate-user': 'root', 'impersonate-group': 'g' }, {}],
  ['another id and host', { 'audit-id': 'mine', host: 'me:6443', expect: '100-continue' }, {}],
  ['of the connection', { connection: 'keep-alive, X-Hop', 'x-hop': '1', te: 'trailers' }, {}],
  ['of HTTP/2', { ':path': '/', ':method': 'GET', ':authority': 'a' }, {}],
  ['the length of the body', { 'content-length': '5' }, { 'content-length': '5' }],
  ['proxies before this one', { 'x-forwarded-for': '10.1.1.1' }, { 'x-forwarded-for': '10.1.1.1' }],
]
for (const [name, headers, want] of rows) {
  test(`headers to a backend: ${name}`, () => {
    const given = { user, auditId: 'a1', host: 'api.shop.svc:443', remoteAddress: undefined }
    assert.deepEqual(requestHeaders({ ...given, headers, isUpgrade: false }), { ...always, ...want })
  })
}

test('headers to a backend: an upgrade, without the token of a browser, from an address', () => {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-protocol': 'v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0',
    'x-forwarded-for': '10.1.1.1',
  }
  const given = { user, auditId: 'a1', host: 'api.shop.svc:443', remoteAddress: '::ffff:10.0.0.9' }
  assert.deepEqual(requestHeaders({ ...given, headers, isUpgrade: true }), {
    ...always,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-protocol': 'v5.channel.k8s.io',
    'x-forwarded-for': '10.1.1.1, 10.0.0.9',
  })
})

test('headers to a backend: every attribute of the user', () => {
  const extra = { 'authentication.kubernetes.io/credential-id': ['a', 'b'], 'Ü%': ['x'], none: [] }
  assert.deepEqual(userHeaders({ name: 'jürgen', uid: 'u1', groups: [], extra }), {
    'x-remote-user': Buffer.from('jürgen').toString('latin1'),
    'x-remote-uid': 'u1',
    'x-remote-extra-authentication.kubernetes.io%2Fcredential-id': ['a', 'b'],
    'x-remote-extra-%C3%BC%25': ['x'],
  })
})

test('headers of a backend: without those of the connection, and without rights for web pages', () => {
  const headers = {
    'content-type': 'application/json',
    connection: 'close',
    'transfer-encoding': 'chunked',
    'access-control-allow-origin': '*',
  }
  assert.deepEqual(responseHeadersOf(headers, false), { 'content-type': 'application/json' })
  const agreed = responseHeadersOf({ connection: 'upgrade', upgrade: 'websocket' }, true)
  assert.deepEqual(agreed, { connection: 'Upgrade', upgrade: 'websocket' })
})
