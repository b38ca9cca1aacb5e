import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePolicy } from './parse-policy.ts'

const head = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' }
const rule = { level: 'Metadata' }

test('audit policy file: what a rule does not say is nothing, and the whole speaks for its rules', () => {
  const { rules } = parsePolicy({
    ...head,
    metadata: { name: 'x' },
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { ...rule, omitStages: ['Panic', 'RequestReceived'], omitManagedFields: false },
      { level: 'None', resources: [{ resources: ['secrets'] }, { group: 'apps' }] },
    ],
  })
  assert.deepEqual(rules[0]?.omitStages, ['RequestReceived', 'Panic'])
  assert.equal(rules[0]?.omitManagedFields, false)
  assert.deepEqual(rules[1], {
    level: 'None',
    users: [],
    userGroups: [],
    verbs: [],
    resources: [
      { group: '', resources: ['secrets'], resourceNames: [] },
      { group: 'apps', resources: [], resourceNames: [] },
    ],
    namespaces: [],
    nonResourceURLs: [],
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
  })
})

const cases: ReadonlyArray<[document: unknown, message: RegExp]> = [
  [[], /^must hold an object of kind Policy$/],
  [undefined, /^must hold an object of kind Policy$/],
  [{ ...head, apiVersion: 'audit.k8s.io/v1beta1' }, /apiVersion audit\.k8s\.io\/v1$/],
  [head, /^has no rules/],
  [{ ...head, rules: 'all' }, /^rules: Invalid value: "all": must be a list of objects$/],
  [{ ...head, rules: [{}] }, /^rules\[0\]\.level: Required value$/],
  [
    { ...head, rules: [{ level: 'All' }] },
    /^rules\[0\]\.level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"$/,
  ],
  [
    { ...head, rules: [{ ...rule, user: ['ann'] }] },
    /^rules\[0\]\.user: Invalid value: "user": unknown field$/,
  ],
  [{ ...head, rules: [{ ...rule, users: 'ann' }] }, /^rules\[0\]\.users: .*must be a list of strings$/],
  [
    { ...head, omitStages: ['Begin'], rules: [rule] },
    /^omitStages\[0\]: .*allowed stages are RequestReceived,/,
  ],
  [{ ...head, rules: [{ ...rule, nonResourceURLs: ['x'] }] }, /must begin with a '\/' character$/],
  [{ ...head, rules: [{ ...rule, nonResourceURLs: ['/*/x'] }] }, /must be the final character of the rule$/],
  [
    { ...head, rules: [{ ...rule, nonResourceURLs: ['/x'], namespaces: ['ns'] }] },
    /rules cannot apply to both regular resources and non-resource URLs$/,
  ],
  [{ ...head, rules: [{ ...rule, resources: [{ group: 'apps/v1' }] }] }, /^rules\[0\]\.resources\.group: /],
  [
    { ...head, rules: [{ ...rule, resources: [{ resourceNames: ['x'] }] }] },
    /using resourceNames requires at least one resource$/,
  ],
  [{ ...head, rules: [{ ...rule, resources: [{ verbs: [] }] }] }, /resources\.verbs: .*unknown field$/],
]
for (const [document, message] of cases) {
  test(`audit policy file: ${JSON.stringify(document)} is refused`, () =>
    assert.throws(() => parsePolicy(document), { name: 'UnusablePolicy', message }))
}
