import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CountedObjects, countedByPage } from './counted-objects.ts'

const cases: readonly (readonly [
  name: string,
  page: Parameters<typeof countedByPage>[0],
  want: CountedObjects,
])[] = [
  ['no object', { items: [], metadata: {} }, { any: false, count: 0 }],
  ['one object', { items: [{}], metadata: { continue: '' } }, { any: true, count: 1 }],
  [
    'many objects',
    { items: [{}], metadata: { continue: 'more', remainingItemCount: 499 } },
    { any: true, count: 500 },
  ],
  [
    'a server that does not count',
    { items: [{}], metadata: { continue: 'more' } },
    { any: true, count: undefined },
  ],
]
for (const [name, page, want] of cases) {
  test(`crd upgrade: objects by the first page: ${name}`, () => assert.deepEqual(countedByPage(page), want))
}
