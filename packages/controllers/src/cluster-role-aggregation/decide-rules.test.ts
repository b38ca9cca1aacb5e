import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRole, PolicyRule } from '@strata/api'
import { decideRules } from './decide-rules.ts'

const rule = (verb: string): PolicyRule => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })
const role = (name: string, label: string, ...verbs: string[]): ClusterRole => ({
  metadata: { name, labels: { to: label } },
  rules: verbs.map(rule),
})
const gathering = (has: PolicyRule[] | null, ...labels: string[]): ClusterRole => ({
  metadata: { name: 'all', labels: { to: 'x' } },
  rules: has,
  aggregationRule: { clusterRoleSelectors: labels.map((to) => ({ matchLabels: { to } })) },
})

type Row = [name: string, role: ClusterRole | undefined, others: ClusterRole[], want: string[] | undefined]
const cases: readonly Row[] = [
  ['a role that is gone', undefined, [role('a', 'x', 'get')], undefined],
  ['a role that is not aggregated', role('b', 'x'), [role('a', 'x', 'get')], undefined],
  ['no role matches', gathering(null, 'x'), [], undefined],
  ['the first rules', gathering(null, 'x'), [role('a', 'x', 'get')], ['get']],
  ['nothing new', gathering([rule('get')], 'x'), [role('a', 'x', 'get')], undefined],
  [
    'a rule that is no longer anybody’s',
    gathering([rule('get'), rule('list')], 'x'),
    [role('a', 'x', 'get')],
    ['get'],
  ],
  ['the last rule goes', gathering([rule('get')], 'x'), [role('a', 'y', 'get')], []],
  [
    'in the order of names, not of creation',
    gathering(null, 'x'),
    [role('b', 'x', 'list'), role('a', 'x', 'get')],
    ['get', 'list'],
  ],
  ['the same rule once', gathering(null, 'x'), [role('a', 'x', 'get'), role('b', 'x', 'get')], ['get']],
  [
    'selector by selector',
    gathering(null, 'y', 'x'),
    [role('a', 'x', 'get'), role('b', 'y', 'list')],
    ['list', 'get'],
  ],
  ['not from itself', gathering([rule('get')], 'x'), [gathering([rule('get')], 'x')], []],
]
for (const [name, each, others, want] of cases) {
  test(`aggregation: ${name}`, () =>
    assert.deepEqual(
      decideRules(each, others)?.map(({ verbs }) => verbs?.join()),
      want,
    ))
}
