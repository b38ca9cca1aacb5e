import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import {
  type ApiObject,
  clusterRoleBindings,
  clusterRoles,
  type FieldError,
  type PolicyRule,
  roleBindings,
  roles,
} from '@strata/api'
import { defaultPolicy } from './default-policy.ts'

const policy = defaultPolicy()

/** From upstream's test data, one object a line, as JSON. */
const readLines = (file: string): (ApiObject & { readonly kind: string })[] =>
  readFileSync(new URL(`testdata/${file}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The objects of a 1.36 server, and those that 1.37 adds for migrations, which are served here. */
const recorded = [...readLines('upstream-1.36.jsonl'), ...readLines('upstream-1.37-migrator.jsonl')]
const kinds = {
  ClusterRole: policy.clusterRoles,
  ClusterRoleBinding: policy.clusterRoleBindings,
  Role: policy.roles,
  RoleBinding: policy.roleBindings,
}
const placeOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name}`

/** Further rights of our migrator: it reads objects after a conflict, and writes Events. */
const besides: Readonly<Record<string, readonly PolicyRule[]>> = {
  'system:controller:storage-version-migrator-controller': [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get'] },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  ],
}

/** Without rules about kinds that only our servers have, and without the further rights. */
function withoutOwn(object: ApiObject & { readonly rules?: readonly PolicyRule[] }): ApiObject {
  if (!object.rules) return object
  const own = besides[object.metadata.name ?? ''] ?? []
  const isOwn = (rule: PolicyRule): boolean =>
    rule.apiGroups?.includes('strata.dev') === true || own.some((each) => isDeepStrictEqual(each, rule))
  return { ...object, rules: object.rules.filter((rule) => !isOwn(rule)) }
}

for (const [kind, objects] of Object.entries<readonly ApiObject[]>(kinds)) {
  const upstreams = recorded.filter((each) => each.kind === kind)
  test(`default policy: every ${kind} of a server of 1.36 that migrates, and no other`, () => {
    assert.deepEqual(objects.map(placeOf).sort(), upstreams.map(placeOf).sort())
    for (const { kind: _, ...upstream } of upstreams) {
      const ours = objects.find((each) => placeOf(each) === placeOf(upstream))
      assert.deepEqual(ours && withoutOwn(ours), upstream, `${kind} ${placeOf(upstream)}`)
    }
  })
}

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
