import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpHeaders } from '@strata/world'
import type { PeerAnchor } from './peer-anchor.ts'
import { RequestHeader, type RequestHeaderOptions, remoteHeaders } from './request-header.ts'

const usual: RequestHeaderOptions = { ...remoteHeaders, allowedNames: ['front'] }
const others: RequestHeaderOptions = {
  usernameHeaders: ['X-First', 'X-Second'],
  uidHeaders: ['X-Id'],
  groupHeaders: ['X-Team', 'X-Crew'],
  extraHeaderPrefixes: ['X-More-', 'X-Also-'],
  allowedNames: [],
}
const front: [PeerAnchor, string] = ['request-header', 'front']
const bob: HttpHeaders = { 'x-remote-user': 'bob' }
const anyName: RequestHeaderOptions = { ...usual, allowedNames: [] }

type Row = [
  name: string,
  options: RequestHeaderOptions | undefined,
  peer: [PeerAnchor, commonName: string] | undefined,
  headers: HttpHeaders,
  want: string,
]
const rows: readonly Row[] = [
  ['a front proxy', usual, front, bob, 'bob: system:authenticated'],
  [
    'a front proxy of a CA that signs clients too',
    usual,
    ['both', 'front'],
    bob,
    'bob: system:authenticated',
  ],
  ['no certificate', usual, undefined, bob, ''],
  ['a certificate of a stranger', usual, ['none', 'front'], bob, ''],
  ['a client with the name of a front proxy', usual, ['client', 'front'], bob, ''],
  ['another name of the request-header CA', usual, ['request-header', 'ann'], bob, ''],
  ['another name in other letter case', usual, ['request-header', 'Front'], bob, ''],
  ['no name in the certificate', usual, ['request-header', ''], bob, ''],
  ['any name is allowed', anyName, ['request-header', 'ann'], bob, 'bob: system:authenticated'],
  ['any name is allowed, of the client CA', anyName, ['client', 'ann'], bob, ''],
  ['off', undefined, front, bob, ''],
  ['no user', usual, front, { 'x-remote-group': 'system:masters' }, ''],
  ['an empty user', usual, front, { 'x-remote-user': '', 'x-remote-group': 'system:masters' }, ''],
  [
    'everything',
    usual,
    front,
    {
      ...bob,
      'x-remote-uid': '7',
      'x-remote-group': ['a', 'b,c', ''],
      'x-remote-extra-acme.io%2fx': ['1', '2'],
    },
    'bob (7): a|b,c|system:authenticated acme.io/x=1|2',
  ],
  [
    'a key that is badly escaped',
    usual,
    front,
    { ...bob, 'x-remote-extra-a%zz': '1' },
    'bob: system:authenticated a%zz=1',
  ],
  [
    'a key of the prototype',
    usual,
    front,
    { ...bob, 'x-remote-extra-__proto__': '1' },
    'bob: system:authenticated __proto__=1',
  ],
  ['two users', usual, front, { 'x-remote-user': ['bob', 'eve'] }, 'bob: system:authenticated'],
  ['an empty line before the user, as upstream', usual, front, { 'x-remote-user': ['', 'eve'] }, ''],
  [
    'UTF-8',
    usual,
    front,
    { 'x-remote-user': Buffer.from('zoë').toString('latin1') },
    'zoë: system:authenticated',
  ],
  [
    'the anonymous user',
    usual,
    front,
    { 'x-remote-user': 'system:anonymous', 'x-remote-group': 'system:unauthenticated' },
    'system:anonymous: system:unauthenticated',
  ],
  [
    'a user who is not authenticated',
    usual,
    front,
    { ...bob, 'x-remote-group': 'system:unauthenticated' },
    'bob: system:unauthenticated',
  ],
  [
    'headers of other names',
    others,
    front,
    { 'x-second': 'bob', 'x-id': '7', 'x-team': 'a', 'x-crew': 'b', 'x-more-k': '1', 'x-also-k': '2' },
    'bob (7): a|b|system:authenticated k=1|2',
  ],
  [
    'the first header with a value',
    others,
    front,
    { 'x-second': 'eve', 'x-first': 'bob' },
    'bob: system:authenticated',
  ],
  ['the usual headers where others count', others, front, { ...bob, 'x-remote-group': 'system:masters' }, ''],
]
for (const [name, options, peer, headers, want] of rows) {
  test(`request headers: ${name}`, () => {
    const request = peer ? { headers, peer: { anchor: peer[0], commonName: peer[1] } } : { headers }
    const user = new RequestHeader(options).identify(request)
    const extra = Object.entries(user?.extra ?? {}).map(([key, values]) => ` ${key}=${values.join('|')}`)
    const id = user?.uid === undefined ? '' : ` (${user.uid})`
    assert.equal(user ? `${user.name}${id}: ${user.groups.join('|')}${extra.join('')}` : '', want)
  })
}

test('request headers: each line is one value, though Node joins them', () => {
  const lines = [
    ['X-Remote-User', 'bob'],
    ['X-Remote-Group', 'CN=dev,OU=x'],
    ['X-REMOTE-GROUP', 'ops'],
  ]
  const headers = { 'x-remote-user': 'bob', 'x-remote-group': 'CN=dev,OU=x, ops' }
  const peer = { anchor: 'request-header', commonName: 'front' } as const
  const user = new RequestHeader(usual).identify({ headers, rawHeaders: lines.flat(), peer })
  assert.deepEqual(user?.groups, ['CN=dev,OU=x', 'ops', 'system:authenticated'])
})

test('request headers: all of them are removed, the usual ones too, and others stay', () => {
  const request = {
    headers: { accept: 'x', 'x-first': 'a', 'x-more-': 'b', 'x-remote-user': 'c', 'x-remote-extra-k': 'd' },
    rawHeaders: ['Accept', 'x', 'X-FIRST', 'a', 'X-Remote-User', 'c', 'x-Remote-Extra-K', 'd'],
    other: 1,
  }
  assert.deepEqual(new RequestHeader(others).strip(request), {
    headers: { accept: 'x' },
    rawHeaders: ['Accept', 'x'],
    other: 1,
  })
  const { headers } = new RequestHeader().strip(request)
  assert.deepEqual(headers, { accept: 'x', 'x-first': 'a', 'x-more-': 'b' })
  const plain = { headers: { accept: 'x', 'x-remote': 'a', 'x-remote-users': 'b' } }
  assert.equal(new RequestHeader(usual).strip(plain), plain)
})
