import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Binding, PolicyRule, Role, Subject } from '@strata/api'
import { type Access, type Requester, resourceAccess } from './access.ts'
import { type Authorizer, alwaysAllow, alwaysDeny, createAuthorizer, createRbac } from './authorizer.ts'
import { Policy } from './rbac-policy.ts'

const read: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }
const role: Role = { metadata: {}, rules: [read] }
const binding = (kind: string, name: string, ...subjects: Subject[]): Binding => ({
  metadata: {},
  roleRef: { kind, name },
  subjects,
})
const ann: Subject = { kind: 'User', name: 'ann' }
const crew: Subject = { kind: 'Group', name: 'crew' }
const bot: Subject = { kind: 'ServiceAccount', name: 'bot' }
const user = (name: string, ...groups: string[]): Requester => ({ name, groups })
const inA: Access = resourceAccess('get', { resource: 'configmaps', namespace: 'a', name: 'x' })
const inB: Access = resourceAccess('get', { resource: 'configmaps', namespace: 'b', name: 'x' })
const everywhere: Access = resourceAccess('get', { resource: 'configmaps' })

function policyOf(fill: (policy: Policy) => void): Policy {
  const policy = new Policy()
  policy.setRole('a', 'reader', role)
  policy.setClusterRole('reader', role)
  fill(policy)
  return policy
}

type Row = [name: string, fill: (policy: Policy) => void, who: Requester, what: Access, want: string | false]
const cases: readonly Row[] = [
  ['no bindings', () => {}, user('ann'), inA, false],
  [
    'a role in its namespace',
    (policy) => policy.setBinding('a', 'b', binding('Role', 'reader', ann)),
    user('ann'),
    inA,
    'RBAC: allowed by RoleBinding "b/a" of Role "reader" to User "ann"',
  ],
  [
    'a role in another namespace',
    (policy) => policy.setBinding('a', 'b', binding('Role', 'reader', ann)),
    user('ann'),
    inB,
    false,
  ],
  [
    'a role of one namespace, everywhere',
    (policy) => policy.setBinding('a', 'b', binding('Role', 'reader', ann)),
    user('ann'),
    everywhere,
    false,
  ],
  [
    'a role of one namespace, bound for all',
    (policy) => policy.setBinding('', 'b', binding('Role', 'reader', ann)),
    user('ann'),
    inA,
    false,
  ],
  [
    'a cluster role in one namespace',
    (policy) => policy.setBinding('b', 'b', binding('ClusterRole', 'reader', crew)),
    user('ann', 'crew'),
    inB,
    'RBAC: allowed by RoleBinding "b/b" of ClusterRole "reader" to Group "crew"',
  ],
  [
    'a cluster role everywhere',
    (policy) => policy.setBinding('', 'b', binding('ClusterRole', 'reader', crew)),
    user('ann', 'crew'),
    everywhere,
    'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "crew"',
  ],
  [
    'a user is not the group of that name',
    (policy) => policy.setBinding('', 'b', binding('ClusterRole', 'reader', crew)),
    user('crew'),
    everywhere,
    false,
  ],
  [
    'a service account of the same namespace',
    (policy) => policy.setBinding('a', 'b', binding('Role', 'reader', bot)),
    user('system:serviceaccount:a:bot'),
    inA,
    'RBAC: allowed by RoleBinding "b/a" of Role "reader" to ServiceAccount "bot/a"',
  ],
  [
    'a service account of that name elsewhere',
    (policy) => policy.setBinding('a', 'b', binding('Role', 'reader', bot)),
    user('system:serviceaccount:b:bot'),
    inA,
    false,
  ],
  [
    'a service account of no namespace',
    (policy) => policy.setBinding('', 'b', binding('ClusterRole', 'reader', bot)),
    user('system:serviceaccount::bot'),
    everywhere,
    false,
  ],
  [
    'a binding that is gone',
    (policy) => {
      policy.setBinding('a', 'b', binding('Role', 'reader', ann))
      policy.setBinding('a', 'b', undefined)
    },
    user('ann'),
    inA,
    false,
  ],
  [
    'a binding that lost its subject',
    (policy) => {
      policy.setBinding('a', 'b', binding('Role', 'reader', ann, crew))
      policy.setBinding('a', 'b', binding('Role', 'reader', crew))
    },
    user('ann'),
    inA,
    false,
  ],
  [
    'a role that is gone',
    (policy) => {
      policy.setBinding('a', 'b', binding('Role', 'reader', ann))
      policy.setRole('a', 'reader', undefined)
    },
    user('ann'),
    inA,
    false,
  ],
  [
    'a role that came after its binding',
    (policy) => {
      policy.setBinding('b', 'b', binding('Role', 'late', ann))
      policy.setRole('b', 'late', role)
    },
    user('ann'),
    inB,
    'RBAC: allowed by RoleBinding "b/b" of Role "late" to User "ann"',
  ],
]
for (const [name, fill, who, what, want] of cases) {
  test(`policy: ${name}`, () => {
    const { allowed, reason } = createRbac(policyOf(fill)).authorize(who, what)
    assert.equal(allowed && reason, want)
  })
}

test('policy: a refusal names the roles that are missing', () => {
  const policy = policyOf((each) => {
    each.setBinding('a', 'one', binding('Role', 'gone', ann))
    each.setBinding('', 'two', binding('ClusterRole', 'lost', ann))
  })
  const { reason } = createRbac(policy).authorize(user('ann'), inA)
  assert.equal(
    reason,
    'RBAC: [clusterrole.rbac.authorization.k8s.io "lost" not found, role.rbac.authorization.k8s.io "gone" not found]',
  )
})

test('policy: a binding that names a user twice gives its rules once', () => {
  const policy = policyOf((each) => each.setBinding('a', 'b', binding('Role', 'reader', ann, crew)))
  assert.deepEqual(createRbac(policy).rulesFor(user('ann', 'crew'), 'a'), { rules: [read], problems: [] })
})

test('policy: superusers need no rule, and modes are asked one after the other', () => {
  const rbac = createRbac(new Policy())
  const root = user('root', 'system:masters')
  assert.deepEqual(createAuthorizer([rbac]).authorize(root, inA), { allowed: true, reason: '' })
  assert.deepEqual(createAuthorizer([alwaysDeny]).authorize(root, inA), { allowed: true, reason: '' })
  assert.deepEqual(createAuthorizer([rbac, alwaysAllow]).authorize(user('ann'), inA), {
    allowed: true,
    reason: '',
  })
  assert.deepEqual(createAuthorizer([rbac, alwaysDeny]).authorize(user('ann'), inA), {
    allowed: false,
    reason: 'Everything is forbidden.',
  })
})

test('policy: a mode that asks another server keeps the order, and its failure allows nothing', async () => {
  const remote = (allowed: boolean): Authorizer => ({
    ...alwaysDeny,
    authorize: async () => ({ allowed, reason: allowed ? 'remote' : 'not here' }),
  })
  const failing: Authorizer = { ...alwaysDeny, authorize: () => Promise.reject(new Error('away')) }
  const decide = (...modes: Authorizer[]) => createAuthorizer(modes).authorize(user('ann'), inA)
  assert.deepEqual(await decide(alwaysAllow, failing), { allowed: true, reason: '' })
  assert.deepEqual(await decide(remote(true), failing), { allowed: true, reason: 'remote' })
  assert.deepEqual(await decide(remote(false), alwaysDeny), { allowed: false, reason: 'not here' })
  assert.deepEqual(await decide(remote(false), alwaysAllow), { allowed: true, reason: '' })
  await assert.rejects(async () => decide(alwaysDeny, failing, alwaysAllow), { message: 'away' })
})
