import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GrantedRight, withoutCovered } from './granted-right.ts'
import { policyRules } from './policy-rules.ts'
import { rolesOf } from './roles.ts'

const right = (
  verb: string,
  group: string,
  resource: string,
  more: Partial<GrantedRight> = {},
): GrantedRight => ({
  ...{ verb, group, resource, ...more },
})

const covered: readonly (readonly [
  name: string,
  rights: readonly GrantedRight[],
  left: readonly number[],
])[] = [
  ['twice the same', [right('get', '', 'secrets'), right('get', '', 'secrets')], [0]],
  ['a name, and any name', [right('get', '', 'secrets', { name: 'a' }), right('get', '', 'secrets')], [1]],
  [
    'two names',
    [right('get', '', 'secrets', { name: 'a' }), right('get', '', 'secrets', { name: 'b' })],
    [0, 1],
  ],
  [
    'every resource includes subresources',
    [right('patch', '*', '*'), right('patch', 'a', 'b', { subresource: 'status' })],
    [0],
  ],
  [
    'a resource does not',
    [right('patch', 'a', 'b'), right('patch', 'a', 'b', { subresource: 'status' })],
    [0, 1],
  ],
  ['another verb', [right('get', '*', '*'), right('list', 'a', 'b')], [0, 1]],
  ['one namespace, and all', [right('get', 'a', 'b', { namespace: 'n' }), right('get', 'a', 'b')], [1]],
  [
    'one namespace of everything',
    [right('get', '*', '*', { namespace: 'n' }), right('get', 'a', 'b')],
    [0, 1],
  ],
]
for (const [name, rights, left] of covered) {
  test(`covered: ${name}`, () =>
    assert.deepEqual(
      withoutCovered(rights),
      left.map((index) => rights[index]),
    ))
}

test('rules: verbs, resources and groups are joined where all else is the same', () => {
  const rights = ['x', 'y'].flatMap((group) => ['list', 'get'].map((verb) => right(verb, group, 'b')))
  const named = right('get', 'x', 'b', { name: 'one' })
  assert.deepEqual(policyRules([...rights, right('get', 'z', 'c', { subresource: 'status' }), named]), [
    { apiGroups: ['x', 'y'], resources: ['b'], verbs: ['get', 'list'] },
    { apiGroups: ['z'], resources: ['c/status'], verbs: ['get'] },
    { apiGroups: ['x'], resources: ['b'], resourceNames: ['one'], verbs: ['get'] },
  ])
})

test('roles: a Role for the namespace that rights are limited to; bindings only with subjects', () => {
  const rights = [right('get', '', 'secrets'), right('list', '', 'configmaps', { namespace: 'n' })]
  const kinds = (...subjects: Parameters<typeof rolesOf>[2]) =>
    rolesOf('r', rights, subjects).map(({ kind, metadata }) => [kind, metadata.namespace])
  assert.deepEqual(kinds(), [
    ['ClusterRole', undefined],
    ['Role', 'n'],
  ])
  assert.deepEqual(kinds({ kind: 'ServiceAccount', name: 's', namespace: 'm' }), [
    ['ClusterRole', undefined],
    ['ClusterRoleBinding', undefined],
    ['Role', 'n'],
    ['RoleBinding', 'n'],
  ])
})
