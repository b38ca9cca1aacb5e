import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '@strata/rehearsal'
import { foldReasons } from './fold-reasons.ts'

const lost = (object: string, path: string): Reason => ({
  ...{ level: 'unsafe', rule: 'field-lost', resource: 'lamps', object, path },
  message: `${object} has lost ${path}`,
})

const cases: ReadonlyArray<[name: string, reasons: readonly Reason[], want: readonly string[]]> = [
  ['one object', [lost('a', 'spec.x')], ['a has lost spec.x']],
  [
    'the same field of several objects',
    [lost('a', 'spec.x[0].y'), lost('b', 'spec.x[1].y'), lost('b', 'spec.x[2].y')],
    ['a has lost spec.x[0].y (and 1 more of lamps)'],
  ],
  ['several fields', [lost('a', 'spec.x'), lost('a', 'spec.y')], ['a has lost spec.x', 'a has lost spec.y']],
  [
    'reasons without a field',
    [
      { level: 'refused', rule: 'crd-refused', message: 'one' },
      { level: 'refused', rule: 'crd-refused', message: 'two' },
    ],
    ['one', 'two'],
  ],
]
for (const [name, reasons, want] of cases) {
  test(`rehearse: reasons are folded: ${name}`, () => {
    assert.deepEqual(
      foldReasons(reasons).map(({ message }) => message),
      want,
    )
  })
}
