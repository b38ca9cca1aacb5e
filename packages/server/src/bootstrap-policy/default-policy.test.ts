import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiObject,
  clusterRoleBindings,
  clusterRoles,
  type FieldError,
  roleBindings,
  roles,
} from '@strata/api'
import { defaultPolicy } from './default-policy.ts'

const policy = defaultPolicy()

test('default policy: as many roles and bindings as a server of 1.36 has', () => {
  const counts = Object.values(policy).map((objects: readonly ApiObject[]) => objects.length)
  assert.deepEqual(counts, [69, 50, 7, 7])
})

test('default policy: every object would be accepted from a client', () => {
  const errors: FieldError[] = [
    ...policy.clusterRoles.flatMap((each) => clusterRoles.strategy.validate?.(each) ?? []),
    ...policy.clusterRoleBindings.flatMap((each) => clusterRoleBindings.strategy.validate?.(each) ?? []),
    ...policy.roles.flatMap((each) => roles.strategy.validate?.(each) ?? []),
    ...policy.roleBindings.flatMap((each) => roleBindings.strategy.validate?.(each) ?? []),
  ]
  assert.deepEqual(errors, [])
})

test('default policy: every binding names a role that is there', () => {
  const known = new Set([
    ...policy.clusterRoles.map(({ metadata }) => `ClusterRole /${metadata.name}`),
    ...policy.roles.map(({ metadata }) => `Role ${metadata.namespace}/${metadata.name}`),
  ])
  for (const { metadata, roleRef } of [...policy.clusterRoleBindings, ...policy.roleBindings]) {
    const within = roleRef?.kind === 'Role' ? metadata.namespace : ''
    assert.ok(known.has(`${roleRef?.kind} ${within}/${roleRef?.name}`), String(metadata.name))
  }
})

test('default policy: only the superusers get everything', () => {
  const all = policy.clusterRoles.filter(({ rules }) =>
    rules?.some(({ verbs, resources }) => verbs?.includes('*') && resources?.includes('*')),
  )
  assert.deepEqual(
    all.map(({ metadata }) => metadata.name),
    ['cluster-admin'],
  )
  const bound = policy.clusterRoleBindings.filter(({ roleRef }) => roleRef?.name === 'cluster-admin')
  assert.deepEqual(
    bound.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name)),
    ['system:masters'],
  )
})
