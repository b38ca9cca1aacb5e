import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldError, fieldErrorText } from '../machinery/field-error.ts'
import { applyBindingDefaults, type Binding } from './binding.ts'
import { type ClusterRole, clusterRoles } from './cluster-role.ts'
import { clusterRoleBindings } from './cluster-role-binding.ts'
import { nullIfNone, type PolicyRule } from './policy-rule.ts'
import { type Role, roles } from './role.ts'
import { roleBindings } from './role-binding.ts'

const texts = (errors: readonly FieldError[] | undefined): readonly string[] =>
  (errors ?? []).map(fieldErrorText)

const full: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }
const rules: ReadonlyArray<[name: string, rule: PolicyRule, inRole: string[], inClusterRole: string[]]> = [
  ['a rule for resources', full, [], []],
  [
    'a rule without verbs',
    { ...full, verbs: [] },
    ['rules[0].verbs: Required value: verbs must contain at least one value'],
    ['rules[0].verbs: Required value: verbs must contain at least one value'],
  ],
  [
    'a rule for nothing',
    { verbs: ['get'] },
    [
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
  ],
  [
    'a rule for paths',
    { verbs: ['get'], nonResourceURLs: ['/x'] },
    ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    [],
  ],
  [
    'a rule for paths and resources',
    { ...full, nonResourceURLs: ['/x'] },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
]
for (const [name, rule, inRole, inClusterRole] of rules) {
  test(`rbac: ${name}`, () => {
    const object: Role = { metadata: { name: 'r' }, rules: [rule] }
    assert.deepEqual(texts(roles.strategy.validate?.(object)), inRole)
    assert.deepEqual(texts(clusterRoles.strategy.validate?.(object)), inClusterRole)
  })
}

const aggregations: ReadonlyArray<[name: string, rule: ClusterRole['aggregationRule'], want: string[]]> = [
  ['no aggregation', undefined, []],
  [
    'an aggregation of nothing',
    {},
    [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  ],
  ['an aggregation of everything', { clusterRoleSelectors: [{}] }, []],
  [
    'an unknown operator',
    { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Like' }] }] },
    [
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ],
  ],
]
for (const [name, aggregationRule, want] of aggregations) {
  test(`rbac: ${name}`, () => {
    const object: ClusterRole = { metadata: {}, ...(aggregationRule ? { aggregationRule } : {}) }
    assert.deepEqual(texts(clusterRoles.strategy.validate?.(object)), want)
  })
}

const group = 'rbac.authorization.k8s.io'
const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'r' }
const subjects: ReadonlyArray<
  [name: string, subject: NonNullable<Binding['subjects']>[number], here: string[], everywhere: string[]]
> = [
  ['a user', { kind: 'User', name: 'u' }, [], []],
  ['a group', { kind: 'Group', name: 'g' }, [], []],
  [
    'a service account without a namespace',
    { kind: 'ServiceAccount', name: 'a' },
    [],
    ['subjects[0].namespace: Required value'],
  ],
  ['a service account', { kind: 'ServiceAccount', name: 'a', namespace: 'n' }, [], []],
  [
    'a user without a name',
    { kind: 'User' },
    ['subjects[0].name: Required value'],
    ['subjects[0].name: Required value'],
  ],
  [
    'a robot',
    { kind: 'Robot', name: 'r' },
    ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
  ],
]
for (const [name, subject, here, everywhere] of subjects) {
  test(`rbac: ${name} as a subject`, () => {
    const binding: Binding = { metadata: { name: 'b' }, roleRef: { ...roleRef }, subjects: [{ ...subject }] }
    applyBindingDefaults(binding)
    assert.deepEqual(texts(roleBindings.strategy.validate?.(binding)), here)
    assert.deepEqual(texts(clusterRoleBindings.strategy.validate?.(binding)), everywhere)
  })
}

test('rbac: the role of one namespace cannot be bound in all of them', () => {
  const binding: Binding = { metadata: {}, roleRef: { ...roleRef, kind: 'Role' } }
  assert.deepEqual(texts(clusterRoleBindings.strategy.validate?.(binding)), [
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
  ])
})

test('rbac: a binding keeps its role', () => {
  const stored: Binding = { metadata: {}, roleRef }
  const next: Binding = { metadata: {}, roleRef: { ...roleRef, name: 'more' } }
  assert.deepEqual(texts(roleBindings.strategy.validateUpdate?.(stored, stored)), [])
  assert.deepEqual(texts(roleBindings.strategy.validateUpdate?.(next, stored)), [
    `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"more"}: cannot change roleRef`,
  ])
})

test('rbac: no rules are stored as null, however they were sent', () => {
  const sent: Role[] = [{ metadata: {} }, { metadata: {}, rules: [] }, { metadata: {}, rules: null }]
  for (const role of sent) nullIfNone(role)
  assert.deepEqual(
    sent.map(({ rules: stored }) => stored),
    [null, null, null],
  )
})
