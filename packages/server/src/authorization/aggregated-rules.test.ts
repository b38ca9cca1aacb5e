import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRole, PolicyRule } from '@strata/api'
import { ClusterRoleRules } from './cluster-role-rules.ts'

const rule = (verb: string): PolicyRule => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })
const rulesOf = (verbs: string): PolicyRule[] => verbs.split(' ').filter(Boolean).map(rule)
const role = (name: string, to: string, verbs: string): ClusterRole => ({
  metadata: { name, labels: { to } },
  rules: rulesOf(verbs),
})
/** `stored` is what a controller has stored, or '' before it has. */
const gathering = (name: string, to: string, from: string[], stored = ''): ClusterRole => ({
  metadata: { name, labels: { to } },
  rules: stored === '' ? null : rulesOf(stored),
  aggregationRule: { clusterRoleSelectors: from.map((each) => ({ matchLabels: { to: each } })) },
})

type Row = [name: string, roles: ClusterRole[], allowed: string | undefined, given: string | undefined]
/** Each is for the role `all`. */
const cases: readonly Row[] = [
  ['no such role', [role('a', 'x', 'get')], undefined, undefined],
  ['a role that is not aggregated', [role('all', 'x', 'get list')], 'get list', 'get list'],
  ['nothing to gather', [gathering('all', '', ['x'])], '', ''],
  ['not stored yet', [gathering('all', '', ['x']), role('a', 'x', 'get')], 'get', 'get'],
  ['stored already', [gathering('all', '', ['x'], 'get'), role('a', 'x', 'get')], 'get', 'get get'],
  [
    'stored, but no source has it any more',
    [gathering('all', '', ['x'], 'get list'), role('a', 'x', 'get')],
    'get',
    'get get list',
  ],
  [
    'several selectors, each source once',
    [gathering('all', '', ['y', 'x', 'x']), role('b', 'y', 'list'), role('a', 'x', 'get')],
    'get list',
    'get list',
  ],
  [
    'the same rule of two sources',
    [gathering('all', '', ['x']), role('a', 'x', 'get'), role('b', 'x', 'get list')],
    'get list',
    'get list',
  ],
  [
    'through another aggregated role',
    [gathering('all', '', ['x']), gathering('some', 'x', ['y']), role('a', 'y', 'get')],
    'get',
    'get',
  ],
  [
    'roles that select each other, and one that selects itself',
    [
      gathering('all', 'x', ['x', 'y'], 'delete'),
      gathering('some', 'y', ['x'], 'delete'),
      role('a', 'x', 'get'),
    ],
    'get',
    'get delete',
  ],
]
const verbsOf = (rules: readonly PolicyRule[] | undefined): string | undefined =>
  rules?.map(({ verbs = [] }) => verbs[0]).join(' ')

for (const [name, roles, allowed, given] of cases) {
  test(`aggregated rules: ${name}`, () => {
    const rules = new ClusterRoleRules()
    for (const each of roles) rules.set(each.metadata.name ?? '', each)
    assert.equal(verbsOf(rules.allowedBy('all')), allowed)
    assert.equal(verbsOf(rules.givenBy('all')), given)
  })
}

test('aggregated rules: they follow every change of a source at once', () => {
  const rules = new ClusterRoleRules()
  rules.set('all', gathering('all', '', ['x']))
  assert.equal(verbsOf(rules.allowedBy('all')), '')
  rules.set('a', role('a', 'x', 'get'))
  assert.equal(verbsOf(rules.allowedBy('all')), 'get')
  rules.set('a', role('a', 'y', 'get'))
  assert.equal(verbsOf(rules.allowedBy('all')), '')
  rules.set('a', role('a', 'x', 'get'))
  rules.set('a', undefined)
  assert.equal(verbsOf(rules.allowedBy('all')), '')
})
