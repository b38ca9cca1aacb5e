import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import { type ResourceQuota, type ResourceQuotaSpec, resourceQuotas } from './resource-quota.ts'

const { validate, validateUpdate } = resourceQuotas.strategy
const quota = (spec: ResourceQuotaSpec): ResourceQuota => ({ metadata: { name: 'q' }, spec })
const selector = (scopeName: string, operator: string, ...values: string[]): ResourceQuotaSpec => ({
  scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values.length > 0 ? { values } : {}) }] },
})
const expressions = 'spec.scopeSelector.matchExpressions'
const mustExist =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

const cases: ReadonlyArray<[name: string, spec: ResourceQuotaSpec, want: readonly string[]]> = [
  ['nothing at all', {}, []],
  ['amounts', { hard: { pods: '10', 'requests.cpu': '500m', 'hugepages-2Mi': '1Gi', memory: '1Gi' } }, []],
  ['counts of any kind', { hard: { 'count/widgets.example.dev': '5', 'requests.example.dev/gpu': '1' } }, []],
  [
    'less than nothing',
    { hard: { memory: '-1Gi' } },
    ['spec.hard[memory]: Invalid value: "-1Gi": must be greater than or equal to 0'],
  ],
  ['half a pod', { hard: { pods: '500m' } }, ['spec.hard[pods]: Invalid value: "500m": must be an integer']],
  [
    'half of what others count',
    { hard: { 'example.dev/gpu': '1500m' } },
    ['spec.hard[example.dev/gpu]: Invalid value: "1500m": must be an integer'],
  ],
  [
    'an unknown resource name',
    { hard: { widgets: '1' } },
    [
      'spec.hard[widgets]: Invalid value: "widgets": must be a standard resource type or fully qualified',
      'spec.hard[widgets]: Invalid value: "widgets": must be a standard resource for quota',
    ],
  ],
  [
    'a name that is not one for quotas',
    { hard: { storage: '1' } },
    ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'],
  ],
  ['a scope', { hard: { pods: '1', cpu: '1' }, scopes: ['NotBestEffort', 'Terminating'] }, []],
  ['an unknown scope', { scopes: ['Any'] }, ['spec.scopes: Invalid value: ["Any"]: unsupported scope']],
  [
    'a scope that the resource does not have',
    { hard: { pods: '1', cpu: '1' }, scopes: ['BestEffort'] },
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [
    'scopes that exclude each other',
    { scopes: ['BestEffort', 'NotBestEffort'] },
    ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
  ],
  ['a selector', { hard: { pods: '1' }, ...selector('PriorityClass', 'In', 'high') }, []],
  [
    'a selector without values',
    selector('PriorityClass', 'NotIn'),
    [
      `${expressions}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
    ],
  ],
  [
    'a selector with too many',
    selector('PriorityClass', 'Exists', 'high'),
    [
      `${expressions}.values: Invalid value: ["high"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
    ],
  ],
  [
    'a selector of what has no values',
    selector('Terminating', 'DoesNotExist'),
    [`${expressions}.operator: Invalid value: "DoesNotExist": ${mustExist}`],
  ],
  [
    'an unknown selector',
    selector('Any', 'Like'),
    [
      `${expressions}.scopeName: Invalid value: "Any": unsupported scope`,
      `${expressions}.operator: Invalid value: "Like": not a valid selector operator`,
    ],
  ],
  [
    'a selector that the resource does not have',
    { hard: { secrets: '1' }, ...selector('PriorityClass', 'Exists') },
    [
      `${expressions}: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityClass","Operator":"Exists","Values":null}]}: unsupported scope applied to resource`,
    ],
  ],
]
for (const [name, spec, want] of cases) {
  test(`quota: ${name}`, () => assert.deepEqual((validate?.(quota(spec)) ?? []).map(fieldErrorText), want))
}

test('quota: usage is checked like what is wanted', () => {
  const counted = { ...quota({}), status: { hard: { pods: '1' }, used: { pods: '-1' } } }
  assert.deepEqual((validate?.(counted) ?? []).map(fieldErrorText), [
    'status.used[pods]: Invalid value: "-1": must be greater than or equal to 0',
  ])
})

test('quota: scopes stay as they are, in any order', () => {
  const stored = quota({ scopes: ['Terminating', 'NotBestEffort'] })
  assert.deepEqual(validateUpdate?.(quota({ scopes: ['NotBestEffort', 'Terminating'] }), stored), [])
  assert.deepEqual((validateUpdate?.(quota({}), stored) ?? []).map(fieldErrorText), [
    'spec.scopes: Invalid value: null: field is immutable',
  ])
})

test('quota: nothing is finer than thousandths', () => {
  const given = quota({ hard: { cpu: '1u', pods: '5' } })
  resourceQuotas.versions['v1']?.applyDefaults?.(given)
  assert.deepEqual(given.spec?.hard, { cpu: '1m', pods: '5' })
})

test('quota: limits have a column of their own', () => {
  const status = {
    hard: { pods: '10', 'limits.cpu': '2', 'requests.cpu': '1', configmaps: '5' },
    used: { pods: '3', 'limits.cpu': '500m' },
  }
  const cells = resourceQuotas.columns.map(({ cell }) => cell({ metadata: { name: 'q' }, status }, 0))
  assert.deepEqual(cells.slice(0, 3), [
    'q',
    'configmaps: 0/5, pods: 3/10, requests.cpu: 0/1',
    'limits.cpu: 500m/2',
  ])
})
