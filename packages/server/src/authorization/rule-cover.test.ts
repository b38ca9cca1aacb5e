import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@strata/api'
import { describeRights, missingRights } from './rule-cover.ts'

const get: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }

const cases: ReadonlyArray<[name: string, held: PolicyRule[], wanted: PolicyRule[], missing: string]> = [
  ['the same', [get], [get], ''],
  ['nothing, by nobody', [], [], ''],
  ['something, by nobody', [], [get], '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  [
    'more verbs',
    [get],
    [{ ...get, verbs: ['get', 'list', 'watch'] }],
    '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
  ],
  [
    'the parts of a rule by several rules',
    [get, { ...get, resources: ['secrets'] }],
    [{ ...get, resources: ['pods', 'secrets'] }],
    '',
  ],
  [
    'all verbs by every verb one by one',
    [{ ...get, verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] }],
    [{ ...get, verbs: ['*'] }],
    '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
  ],
  ['anything by everything', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [get], ''],
  [
    'everything by almost everything',
    [{ verbs: ['*'], apiGroups: [''], resources: ['*'] }],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
  ],
  [
    'all objects by one',
    [{ ...get, resourceNames: ['a'] }],
    [get],
    '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
  ],
  ['one object by all', [get], [{ ...get, resourceNames: ['a'] }], ''],
  [
    'two objects by one',
    [{ ...get, resourceNames: ['a'] }],
    [{ ...get, resourceNames: ['a', 'b'] }],
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
  ],
  [
    'a part by that part of anything',
    [{ ...get, resources: ['*/log'] }],
    [{ ...get, resources: ['pods/log'] }],
    '',
  ],
  [
    'a part by the whole',
    [get],
    [{ ...get, resources: ['pods/log'] }],
    '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
  ],
  [
    'paths',
    [{ verbs: ['get'], nonResourceURLs: ['/logs/*'] }],
    [{ verbs: ['get'], nonResourceURLs: ['/logs/a', '/logs'] }],
    '{NonResourceURLs:["/logs"], Verbs:["get"]}',
  ],
]
for (const [name, held, wanted, missing] of cases) {
  test(`covered: ${name}`, () => assert.equal(describeRights(missingRights(held, wanted)), missing))
}

test('covered: what is missing is told once, sorted', () => {
  const wanted = [{ ...get, resources: ['secrets', 'pods'] }, get]
  assert.equal(
    describeRights(missingRights([], wanted)),
    '{APIGroups:[""], Resources:["pods"], Verbs:["get" "get"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  )
})
