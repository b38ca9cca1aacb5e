import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject, Binding, ClusterRole } from '@strata/api'
import { decidePolicyObject } from './decide-policy-object.ts'

const get = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const list = { ...get, verbs: ['list'] }
const auto = 'rbac.authorization.kubernetes.io/autoupdate'
const metadata = { name: 'x', labels: { l: '1' }, annotations: { [auto]: 'true' } }
const role: ClusterRole = { metadata, rules: [get] }
const ann = { kind: 'User', name: 'ann' }
const bob = { kind: 'User', name: 'bob' }
const binding: Binding = { metadata, roleRef: { kind: 'ClusterRole', name: 'x' }, subjects: [ann] }
const gathering: ClusterRole = {
  metadata,
  rules: null,
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: '1' } }] },
}
const withAuto = (value: string) => ({ ...metadata, annotations: { [auto]: value } })

type Row = [name: string, expected: ApiObject, stored: ApiObject | undefined, want: string, then?: object]
const cases: readonly Row[] = [
  ['a role that is missing', role, undefined, 'create'],
  ['a role that is there', role, role, 'nothing'],
  ['a role with more rules', role, { ...role, rules: [get, list] }, 'nothing'],
  ['a role whose rules say it otherwise', role, { ...role, rules: [{ ...get, verbs: ['*'] }] }, 'nothing'],
  ['a role without a rule', role, { ...role, rules: [list] }, 'update', { rules: [list, get] }],
  ['a role without rules', role, { ...role, rules: null }, 'update', { rules: [get] }],
  ['a role that is to be left alone', role, { metadata: withAuto('false'), rules: null }, 'nothing'],
  [
    'a role without its label',
    role,
    { ...role, metadata: { ...metadata, labels: { mine: '2' } } },
    'update',
    { metadata: { ...metadata, labels: { l: '1', mine: '2' } } },
  ],
  ['another value of the label', role, { ...role, metadata: { ...metadata, labels: { l: '2' } } }, 'nothing'],
  [
    'a fixed role that was made to gather',
    role,
    { ...role, aggregationRule: { clusterRoleSelectors: [{}] } },
    'update',
    { aggregationRule: undefined },
  ],
  ['a role that gathers, with what it has gathered', gathering, { ...gathering, rules: [get] }, 'nothing'],
  [
    'a role that gathers less',
    gathering,
    { ...gathering, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { b: '1' } }] } },
    'update',
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { b: '1' } }, { matchLabels: { a: '1' } }] } },
  ],
  ['a binding with more subjects', binding, { ...binding, subjects: [bob, ann] }, 'nothing'],
  [
    'a binding without its subject',
    binding,
    { ...binding, subjects: [bob] },
    'update',
    { subjects: [bob, ann] },
  ],
  [
    'a binding of another role',
    binding,
    { ...binding, roleRef: { kind: 'ClusterRole', name: 'y' } },
    'recreate',
  ],
  [
    'a binding of another role that is to be left alone',
    binding,
    { ...binding, metadata: withAuto('false'), roleRef: { kind: 'ClusterRole', name: 'y' } },
    'nothing',
  ],
]
for (const [name, expected, stored, want, then] of cases) {
  test(`default policy: ${name}`, () => {
    const decision = decidePolicyObject(expected, stored)
    assert.equal(decision.do, want)
    if (then && decision.do === 'update') assert.deepEqual(decision.object, { ...stored, ...then })
  })
}
