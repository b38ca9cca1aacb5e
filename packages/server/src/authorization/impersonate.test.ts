import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@strata/api'
import { type Requester, resourceAccess } from './access.ts'
import { type Authorizer, createAuthorizer, createRbac } from './authorizer.ts'
import { impersonate } from './impersonate.ts'
import { Policy } from './rbac-policy.ts'

const list = resourceAccess('list', { resource: 'configmaps', namespace: 'ns' })
const old = (resource: string, ...resourceNames: string[]): PolicyRule => ({
  verbs: ['impersonate'],
  apiGroups: ['', 'authentication.k8s.io'],
  resources: [resource],
  resourceNames,
})
const narrow = (mode: string, resource: string): PolicyRule => ({
  verbs: [`impersonate:${mode}`],
  apiGroups: ['authentication.k8s.io'],
  resources: [resource],
})
const on = (mode: string): PolicyRule => ({
  verbs: [`impersonate-on:${mode}:list`],
  apiGroups: [''],
  resources: ['configmaps'],
})
const person = (name: string, more: Partial<Requester> = {}): Requester => ({ name, groups: [], ...more })

const userRefused =
  'configmaps is forbidden: User "eve" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "ns"'
type Row = [name: string, rules: PolicyRule[], wanted: Requester, want: string]
const cases: readonly Row[] = [
  ['without any right', [], person('bob'), userRefused],
  ['with the old right', [old('users')], person('bob'), 'bob system:authenticated'],
  ['with the old right for another user', [old('users', 'ann')], person('bob'), userRefused],
  [
    'with groups, and the right to the user only',
    [old('users')],
    person('bob', { groups: ['crew'] }),
    userRefused,
  ],
  [
    'with groups, and the right to both',
    [old('users'), old('groups', 'crew')],
    person('bob', { groups: ['crew'] }),
    'bob crew,system:authenticated',
  ],
  [
    'with groups, one of them too many',
    [old('users'), old('groups', 'crew')],
    person('bob', { groups: ['crew', 'system:masters'] }),
    userRefused,
  ],
  ['with a uid, and no right to it', [old('users')], person('bob', { uid: '7' }), userRefused],
  [
    'with a uid, and the right to it',
    [old('users'), old('uids')],
    person('bob', { uid: '7' }),
    'bob system:authenticated',
  ],
  [
    'with extras, and no right to them',
    [old('users'), old('userextras')],
    person('bob', { extra: { scopes: ['a'] } }),
    userRefused,
  ],
  [
    'with extras, and the right to another value',
    [old('users'), old('userextras/scopes', 'b')],
    person('bob', { extra: { scopes: ['a'] } }),
    userRefused,
  ],
  [
    'with extras, and the right to them',
    [old('users'), old('userextras/scopes', 'a')],
    person('bob', { extra: { scopes: ['a'] } }),
    'bob system:authenticated',
  ],
  [
    'as a service account, with the right to users',
    [old('users')],
    person('system:serviceaccount:ns:bot'),
    'configmaps is forbidden: User "eve" cannot impersonate-on:serviceaccount:list resource "configmaps" in API group "" in the namespace "ns"',
  ],
  [
    'as a service account, with the right to it',
    [old('serviceaccounts', 'bot')],
    person('system:serviceaccount:ns:bot'),
    'system:serviceaccount:ns:bot system:serviceaccounts,system:serviceaccounts:ns,system:authenticated',
  ],
  ['as anonymous', [old('users')], person('system:anonymous'), 'system:anonymous system:unauthenticated'],
  [
    'narrowly, for this request',
    [narrow('user-info', 'users'), on('user-info')],
    person('bob'),
    'bob system:authenticated',
  ],
  ['narrowly, for another request', [narrow('user-info', 'users')], person('bob'), userRefused],
  [
    'narrowly, as a superuser',
    [narrow('user-info', 'users'), narrow('user-info', 'groups'), on('user-info')],
    person('bob', { groups: ['system:masters'] }),
    'groups.authentication.k8s.io "system:masters" is forbidden: User "eve" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
  ],
  [
    'narrowly, as a service account by the right to users',
    [narrow('user-info', 'users'), on('user-info')],
    person('system:serviceaccount:ns:bot'),
    'configmaps is forbidden: User "eve" cannot impersonate-on:serviceaccount:list resource "configmaps" in API group "" in the namespace "ns"',
  ],
  [
    'narrowly, as a node',
    [narrow('arbitrary-node', 'nodes'), on('arbitrary-node')],
    person('system:node:n1'),
    'system:node:n1 system:nodes,system:authenticated',
  ],
]
for (const [name, rules, wanted, want] of cases) {
  test(`impersonation: ${name}`, async () => {
    const policy = new Policy()
    policy.setClusterRole('r', { metadata: {}, rules })
    policy.setBinding('', 'b', {
      metadata: {},
      roleRef: { kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'User', name: 'eve' }],
    })
    const rbac = createAuthorizer([createRbac(policy)])
    const remote: Authorizer = { ...rbac, authorize: async (...asked) => rbac.authorize(...asked) }
    assert.ok(!(impersonate(rbac, person('eve'), wanted, list) instanceof Promise))
    for (const authorizer of [rbac, remote]) {
      const seen = await impersonate(authorizer, person('eve'), wanted, list)
      assert.equal('refused' in seen ? seen.refused.message : `${seen.user.name} ${seen.user.groups}`, want)
    }
  })
}
