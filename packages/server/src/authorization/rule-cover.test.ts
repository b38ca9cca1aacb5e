import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@strata/api'
import { describeRights } from './describe-rights.ts'
import { type Effort, missingRights } from './rule-cover.ts'

const get: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }

const cases: ReadonlyArray<[name: string, held: PolicyRule[], wanted: PolicyRule[], missing: string]> = [
  ['the same', [get], [get], ''],
  ['nothing, by no rules', [], [], ''],
  ['something, by no rules', [], [get], '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
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

test('covered: missing rights are listed once, sorted', () => {
  const wanted = [{ ...get, resources: ['secrets', 'pods'] }, get]
  assert.equal(
    describeRights(missingRights([], wanted)),
    '{APIGroups:[""], Resources:["pods"], Verbs:["get" "get"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
  )
})

const many = (prefix: string) => Array.from({ length: 150 }, (_, index) => `${prefix}${index}`)
/** Three kilobytes of text, five hundred million parts. */
const vast: PolicyRule = {
  verbs: many('v'),
  apiGroups: many('g'),
  resources: many('r'),
  resourceNames: many('n'),
}

test('covered: of very many missing rights, some are listed', () => {
  const text = describeRights(missingRights([get], [vast]))
  assert.match(
    text,
    /^\{APIGroups:\["g0"\], Resources:\["r0"\], ResourceNames:\["n0"\], Verbs:\["v0".*\nand more$/s,
  )
  assert.ok(text.length < 200_000)
})

test('covered: one long word does not make a long answer of it', () => {
  const wanted = { ...get, apiGroups: ['g'.repeat(50_000)], resources: many('r') }
  assert.ok(describeRights(missingRights([], [wanted])).length < 200_000)
})

const efforts: ReadonlyArray<[name: string, held: PolicyRule[], wanted: PolicyRule[], isEnough: boolean]> = [
  ['all of it by one rule', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [vast], true],
  ['all of it by the same rule', [vast], [vast], true],
  ['its halves', [vast, { ...vast, verbs: ['w'] }], [{ ...vast, verbs: [...many('v'), 'w'] }], false],
  [
    'long lists of names, in halves',
    [
      { ...get, resourceNames: many('a').flatMap(many) },
      { ...get, resourceNames: many('b').flatMap(many) },
    ],
    [{ ...get, resourceNames: [...many('a').flatMap(many), ...many('b').flatMap(many)] }],
    true,
  ],
  [
    'many rules by many others',
    many('a')
      .flatMap(many)
      .map((name) => ({ ...get, resources: [name] })),
    many('a')
      .flatMap(many)
      .map((name) => ({ ...get, resources: [name] })),
    false,
  ],
]
for (const [name, held, wanted, isEnough] of efforts) {
  test(`covered: two million looks are ${isEnough ? 'enough' : 'too few'} for ${name}`, () => {
    const effort: Effort = { left: 2_000_000 }
    assert.deepEqual([...missingRights(held, wanted, effort)], [])
    assert.equal(effort.left >= 0, isEnough)
  })
}
