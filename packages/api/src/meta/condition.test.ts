import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import { type StatusCondition, validateConditions } from './condition.ts'

const right: StatusCondition = {
  type: 'Ready',
  status: 'True',
  lastTransitionTime: '2026-11-16T00:00:00Z',
  reason: 'AsItShould',
  message: '',
}

const rows: ReadonlyArray<
  [name: string, change: Readonly<Partial<Record<keyof StatusCondition, unknown>>>, want: readonly string[]]
> = [
  ['right', {}, []],
  ['without a type', { type: '' }, ['[0].type: Required value: is required']],
  ['without a status', { status: '' }, ['[0].status: Required value']],
  [
    'of another status',
    { status: 'Maybe' },
    ['[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"'],
  ],
  [
    'before the first generation',
    { observedGeneration: -1 },
    ['[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero'],
  ],
  ['of no time', { lastTransitionTime: null }, ['[0].lastTransitionTime: Required value']],
  ['without a reason', { reason: '' }, ['[0].reason: Required value']],
  [
    'with a long reason',
    { reason: 'a'.repeat(1_025) },
    ['[0].reason: Too long: may not be more than 1024 bytes'],
  ],
  [
    'with a long message',
    { message: 'ä'.repeat(16_385) },
    ['[0].message: Too long: may not be more than 32768 bytes'],
  ],
]
for (const [name, change, want] of rows) {
  test(`condition: ${name}`, () => {
    const found = validateConditions([{ ...right, ...change } as StatusCondition], '')
    assert.deepEqual(found.map(fieldErrorText), want)
  })
}

test('condition: two of a type, and a reason of two words', () => {
  const found = validateConditions([right, { ...right, reason: 'two words' }], 'status.conditions')
  assert.deepEqual(
    found.map(({ path, reason }) => [path, reason]),
    [
      ['status.conditions[1]', 'FieldValueDuplicate'],
      ['status.conditions[1].reason', 'FieldValueInvalid'],
    ],
  )
})
