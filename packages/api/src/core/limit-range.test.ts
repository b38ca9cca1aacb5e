import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import { type LimitRange, type LimitRangeItem, limitRanges } from './limit-range.ts'

const range = (...limits: LimitRangeItem[]): LimitRange => ({ metadata: { name: 'l' }, spec: { limits } })
const problems = (...limits: LimitRangeItem[]): string[] =>
  (limitRanges.strategy.validate?.(range(...limits)) ?? []).map(fieldErrorText)
const cpu = (amount: string): Record<string, string> => ({ cpu: amount })
const path = 'spec.limits[0]'

const cases: ReadonlyArray<[name: string, limit: LimitRangeItem, want: readonly string[]]> = [
  [
    'what fits',
    { type: 'Container', min: cpu('100m'), max: cpu('2'), default: cpu('1'), defaultRequest: cpu('500m') },
    [],
  ],
  ['a type of one’s own', { type: 'example.dev/thing', max: { 'example.dev/size': '1' } }, []],
  [
    'an unknown type',
    { type: 'Node' },
    [`${path}.type: Invalid value: "Node": must be a standard limit type or fully qualified`],
  ],
  [
    'more at least than at most',
    { type: 'Pod', min: cpu('2'), max: cpu('1500m') },
    [`${path}.min[cpu]: Invalid value: "2": min value 2 is greater than max value 1500m`],
  ],
  [
    'defaults of pods',
    { type: 'Pod', default: cpu('1'), defaultRequest: cpu('2') },
    [
      `${path}.default: Forbidden: may not be specified when \`type\` is 'Pod'`,
      `${path}.defaultRequest: Forbidden: may not be specified when \`type\` is 'Pod'`,
    ],
  ],
  [
    'defaults that are too low',
    { type: 'Container', min: cpu('2'), default: cpu('1'), defaultRequest: cpu('500m') },
    [
      `${path}.defaultRequest[cpu]: Invalid value: "500m": min value 2 is greater than default request value 500m`,
      `${path}.default[cpu]: Invalid value: "2": min value 2 is greater than default value 1`,
    ],
  ],
  [
    'defaults that are too high',
    { type: 'Container', max: cpu('1'), default: cpu('2'), defaultRequest: cpu('3') },
    [
      `${path}.defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than max value 1`,
      `${path}.defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than default limit value 2`,
      `${path}.default[cpu]: Invalid value: "1": default value 2 is greater than max value 1`,
    ],
  ],
  [
    'a ratio below one',
    { type: 'Container', maxLimitRequestRatio: cpu('900m') },
    [`${path}.maxLimitRequestRatio[cpu]: Invalid value: "900m": ratio 900m is less than 1`],
  ],
  [
    'a ratio that can never be',
    { type: 'Container', min: cpu('500m'), max: cpu('1'), maxLimitRequestRatio: cpu('2500m') },
    [
      `${path}.maxLimitRequestRatio[cpu]: Invalid value: "2500m": ratio 2500m is greater than max/min = 2.000000`,
    ],
  ],
  ['a ratio to nothing', { type: 'Pod', min: cpu('0'), max: cpu('1'), maxLimitRequestRatio: cpu('9') }, []],
  [
    'more promised than there is, where that is not allowed',
    { type: 'Container', default: { 'hugepages-2Mi': '4Mi' }, defaultRequest: { 'hugepages-2Mi': '2Mi' } },
    [
      `${path}.defaultRequest[hugepages-2Mi]: Invalid value: "2Mi": default value 4Mi must equal to defaultRequest value 2Mi in hugepages-2Mi`,
    ],
  ],
  [
    'what containers do not ask for',
    { type: 'Container', max: { storage: '1Gi' } },
    [`${path}.max[storage]: Invalid value: "storage": must be a standard resource for containers`],
  ],
  [
    'an extended resource that a quota would misread',
    { type: 'Pod', max: { 'requests.example.dev/gpu': '1' } },
    [
      `${path}.max[requests.example.dev/gpu]: Invalid value: "requests.example.dev/gpu": doesn't follow extended resource name standard`,
    ],
  ],
  [
    'claims without storage',
    { type: 'PersistentVolumeClaim' },
    [
      `${path}.limits: Required value: either minimum or maximum storage value is required, but neither was provided`,
    ],
  ],
  ['claims with storage', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }, []],
]
for (const [name, limit, want] of cases) {
  test(`limit range: ${name}`, () => assert.deepEqual(problems(limit), want))
}

test('limit range: a type is limited once', () => {
  assert.deepEqual(problems({ type: 'Pod' }, { type: 'Pod' }), [
    'spec.limits[1].type: Duplicate value: "Pod"',
  ])
})

const defaulted: ReadonlyArray<[name: string, given: LimitRangeItem, kept: LimitRangeItem]> = [
  [
    'the maximum is the default of containers',
    { type: 'Container', max: cpu('2') },
    { type: 'Container', max: cpu('2'), default: cpu('2'), defaultRequest: cpu('2') },
  ],
  [
    'a default limit is the default request',
    { type: 'Container', max: cpu('2'), min: cpu('1'), default: cpu('1500m') },
    {
      type: 'Container',
      max: cpu('2'),
      min: cpu('1'),
      default: cpu('1500m'),
      defaultRequest: cpu('1500m'),
    },
  ],
  [
    'else the minimum is',
    { type: 'Container', min: cpu('1u') },
    { type: 'Container', min: cpu('1m'), defaultRequest: cpu('1m') },
  ],
  ['nothing is there where nothing is said', { type: 'Container' }, { type: 'Container' }],
  ['pods have no defaults', { type: 'Pod', max: cpu('2') }, { type: 'Pod', max: cpu('2') }],
]
for (const [name, given, kept] of defaulted) {
  test(`limit range: ${name}`, () => {
    const object = range(given)
    limitRanges.versions['v1']?.applyDefaults?.(object)
    assert.deepEqual(object, range(kept))
  })
}
