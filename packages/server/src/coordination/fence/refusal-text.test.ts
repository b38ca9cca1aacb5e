import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalsText } from './refusal-text.ts'

const of = (why: string, ...resources: string[]) => resources.map((resource) => ({ resource, why }))

const cases: readonly [name: string, refusals: ReturnType<typeof of>, want: readonly string[]][] = [
  ['none', [], []],
  ['a reason is told once, with all whom it concerns', of('no key', 'a', 'b'), ['a, b: no key']],
  [
    'several reasons stand by themselves',
    [...of('no key', 'a'), ...of('no KMS', 'b'), ...of('no key', 'c')],
    ['a, c: no key', 'b: no KMS'],
  ],
  ['of very many some are named', of('no key', ...'abcdefgh'), ['a, b, c, d, e and 3 more: no key']],
]
for (const [name, refusals, want] of cases) {
  test(`refusals: ${name}`, () => assert.deepEqual(refusalsText(refusals), want))
}
