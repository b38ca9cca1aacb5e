import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideLoss, type FoundStore } from './decide-loss.ts'
import type { StoreMark } from './store-mark.ts'

const mark: StoreMark = { store: 7, revision: 100, at: '2026-01-02T03:04:05Z' }

const cases: ReadonlyArray<
  [what: string, mark: StoreMark | undefined, found: FoundStore | undefined, says: RegExp | undefined]
> = [
  ['the first start', undefined, undefined, undefined],
  ['a store of an earlier release', undefined, { store: undefined, revision: 50 }, undefined],
  ['a mark that was removed, to accept a loss', undefined, { store: 7, revision: 50 }, undefined],
  ['a store that went on after the mark', mark, { store: 7, revision: 120 }, undefined],
  ['a store that stands at the mark', mark, { store: 7, revision: 100 }, undefined],
  [
    'a store that ends before the mark',
    mark,
    { store: 7, revision: 99 },
    /ends at revision 99.*revision 100/,
  ],
  ['no store where one was', mark, undefined, /there is no store/],
  ['an empty store where one was', mark, { store: 8, revision: 1 }, /another store/],
  ['another store, though longer', mark, { store: 8, revision: 500 }, /another store/],
  ['a copy from before the store had an id', mark, { store: undefined, revision: 500 }, /another store/],
]
for (const [what, known, found, says] of cases) {
  test(`sqlite: ${what} ${says ? 'is a loss' : 'is no loss'}`, () => {
    const loss = decideLoss(known, found)
    if (says) assert.match(loss ?? '', says)
    else assert.equal(loss, undefined)
  })
}
