import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import type { HttpHeaders } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createAuthenticator, ownTokens, ServiceAccountTokens, type User } from '../authentication/index.ts'
import { createAuthorizer, createRbac, Policy } from '../authorization/index.ts'
import { type PeerCertificate, type RequestContext, YamlReader } from '../handlers/index.ts'
import { authentication } from './authentication.ts'
import { chain } from './filter.ts'
import { impersonation } from './impersonation.ts'

const admin: User = { name: 'admin', uid: 'u', groups: ['system:masters'] }
const signal = new AbortController().signal
const world = new Simulation('identity').process('a')
const accounts = new ServiceAccountTokens(ownTokens(), {
  world,
  accounts: () => undefined,
  secrets: () => undefined,
  catchUp: async () => {},
})
const authenticator = createAuthenticator((token) => (token === 'good' ? admin : undefined), accounts)

/** Who the handlers see behind both filters, or the code and message of the refusal. */
async function seen(
  headers: HttpHeaders,
  peer?: PeerCertificate,
  rawHeaders?: readonly string[],
): Promise<string> {
  const context: RequestContext = {
    request: {
      ...{ method: 'GET', target: '/api', headers, signal },
      ...(peer ? { peer } : {}),
      ...(rawHeaders ? { rawHeaders } : {}),
    },
    signal,
    info: { path: '/api', query: new URLSearchParams(), verb: 'get', target: undefined },
    user: undefined,
    resource: undefined,
    auditId: 'id',
    warnings: [],
    yaml: new YamlReader(world.clock),
  }
  const filters = [authentication(authenticator), impersonation(createAuthorizer([createRbac(new Policy())]))]
  let user: User | undefined
  try {
    await chain(filters, async (inner) => {
      user = inner.user
      return { status: 200, headers: {}, body: new Uint8Array() }
    })(context)
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
  const extra = Object.entries(user?.extra ?? {}).map(([key, values]) => ` ${key}=${values.join('|')}`)
  return `${user?.name} ${user?.groups.join('|')}${extra.join('')}`
}

const bearer = { authorization: 'Bearer good' }
const eve: PeerCertificate = { anchor: 'client', commonName: 'eve', organizations: ['dev', 'ops'] }

type Row = [name: string, headers: HttpHeaders, peer: PeerCertificate | undefined, want: string]
const cases: readonly Row[] = [
  ['without credentials', {}, undefined, 'system:anonymous system:unauthenticated'],
  ['a token', bearer, undefined, 'admin system:masters|system:authenticated'],
  [
    'a token, other case and space behind it',
    { authorization: 'bearer good ' },
    undefined,
    'admin system:masters|system:authenticated',
  ],
  [
    'a token behind too much space',
    { authorization: 'Bearer  good' },
    undefined,
    'system:anonymous system:unauthenticated',
  ],
  ['two tokens', { authorization: ['Bearer good', 'Bearer good'] }, undefined, '401 Unauthorized'],
  ['a wrong token', { authorization: 'Bearer bad' }, undefined, '401 Unauthorized'],
  ['another scheme', { authorization: 'Basic YTpi' }, undefined, 'system:anonymous system:unauthenticated'],
  ['a certificate', {}, eve, 'eve dev|ops|system:authenticated'],
  ['a certificate before a token', bearer, eve, 'eve dev|ops|system:authenticated'],
  ['a certificate of a stranger', {}, { ...eve, anchor: 'none' }, '401 Unauthorized'],
  [
    'a certificate of a stranger, and a token',
    bearer,
    { ...eve, anchor: 'none' },
    'admin system:masters|system:authenticated',
  ],
  ['a certificate without a name', {}, { ...eve, commonName: '' }, '401 Unauthorized'],
  ['as another user', { ...bearer, 'impersonate-user': 'bob' }, undefined, 'bob system:authenticated'],
  [
    'as another user with groups',
    { ...bearer, 'impersonate-user': 'bob', 'impersonate-group': ['a', 'b'] },
    undefined,
    'bob a|b|system:authenticated',
  ],
  [
    'as another user with a group that has commas',
    { ...bearer, 'impersonate-user': 'bob', 'impersonate-group': 'CN=dev,OU=x' },
    undefined,
    'bob CN=dev,OU=x|system:authenticated',
  ],
  [
    'as a service account',
    { ...bearer, 'impersonate-user': 'system:serviceaccount:ns:bot' },
    undefined,
    'system:serviceaccount:ns:bot system:serviceaccounts|system:serviceaccounts:ns|system:authenticated',
  ],
  [
    'as the anonymous user',
    { ...bearer, 'impersonate-user': 'system:anonymous' },
    undefined,
    'system:anonymous system:unauthenticated',
  ],
  [
    'as another user, without the right to',
    { 'impersonate-user': 'bob' },
    eve,
    '403 forbidden: User "eve" cannot impersonate-on:user-info:get path "/api"',
  ],
  [
    'groups without a user',
    { ...bearer, 'impersonate-group': 'g1' },
    undefined,
    '400 requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g1"}, Extra:map[string][]string(nil)} without impersonating a user name',
  ],
]
for (const [name, headers, peer, want] of cases) {
  test(`identity: ${name}`, async () => assert.equal(await seen(headers, peer), want))
}

test('identity: every line of a header is a value of its own, as it was sent', async () => {
  const headers = {
    ...bearer,
    'impersonate-user': 'bob, eve',
    'impersonate-group': 'CN=dev,OU=x, ops',
    'impersonate-extra-scopes': 'a,b, c',
  }
  const lines = [
    ['Authorization', bearer.authorization],
    ['Impersonate-User', 'bob'],
    ['Impersonate-Group', 'CN=dev,OU=x'],
    ['impersonate-user', 'eve'],
    ['Impersonate-Extra-Scopes', 'a,b'],
    ['impersonate-group', 'ops'],
    ['impersonate-extra-scopes', 'c'],
  ]
  assert.equal(
    await seen(headers, undefined, lines.flat()),
    'bob CN=dev,OU=x|ops|system:authenticated scopes=a,b|c',
  )
})
