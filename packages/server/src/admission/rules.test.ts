import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebhookRule } from '@strata/api'
import { matchesRule, type RuleFacts } from './rules.ts'

const all: WebhookRule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }
const pods: RuleFacts = {
  operation: 'CREATE',
  group: '',
  versionName: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'n',
}
const status: Partial<RuleFacts> = { subresource: 'status' }
const outside: Partial<RuleFacts> = { namespace: '', resource: 'nodes' }
const namespace: Partial<RuleFacts> = { namespace: 'n', resource: 'namespaces' }

const cases: ReadonlyArray<[rule: WebhookRule, facts: Partial<RuleFacts>, matches: boolean]> = [
  [{}, {}, false],
  [{}, status, false],
  [{ operations: ['UPDATE'] }, {}, false],
  [{ operations: ['UPDATE', 'CREATE'] }, {}, true],
  [{ apiGroups: ['apps'] }, {}, false],
  [{ apiGroups: ['apps', ''] }, {}, true],
  [{ apiVersions: ['v1beta1'] }, {}, false],
  [{ apiVersions: ['v1beta1', 'v1'] }, {}, true],
  [{ resources: ['pods'] }, {}, true],
  [{ resources: ['pods'] }, status, false],
  [{ resources: ['pods/status'] }, status, true],
  [{ resources: ['pods/status'] }, {}, false],
  [{ resources: ['pods/*'] }, status, true],
  [{ resources: ['pods/*'] }, {}, true],
  [{ resources: ['*/status'] }, status, true],
  [{ resources: ['*/status'] }, {}, false],
  [{ resources: ['*/*'] }, status, true],
  [{ resources: ['*/*'] }, {}, true],
  [{ resources: ['nodes', 'services'] }, {}, false],
  [{ scope: 'Namespaced' }, {}, true],
  [{ scope: 'Cluster' }, {}, false],
  [{ scope: 'Namespaced' }, outside, false],
  [{ scope: 'Cluster' }, outside, true],
  [{ scope: 'Namespaced' }, namespace, false],
  [{ scope: 'Cluster' }, namespace, true],
  [{ scope: '*' }, namespace, true],
]

for (const [rule, facts, matches] of cases) {
  // The first row is an empty rule: it is taken as it is.
  const whole = Object.keys(rule).length === 0 && Object.keys(facts).length === 0 ? rule : { ...all, ...rule }
  test(`rules: ${JSON.stringify(rule)} of ${JSON.stringify(facts)}: ${matches}`, () =>
    assert.equal(matchesRule(whole, { ...pods, ...facts }), matches))
}
