import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf, shapeDifferences } from './shape.ts'

const item = (name: string, more = {}): unknown => ({ metadata: { name, ...more } })
const cases: ReadonlyArray<
  [name: string, recorded: unknown, live: unknown, want: readonly string[], isWhole?: boolean]
> = [
  ['other values of the same types', { a: 'x', n: 1, l: ['y'] }, { a: 'z', n: 2, l: ['w', 'v'] }, []],
  ['a field is missing', { a: { b: 1 } }, { a: {} }, ['$.a.b: missing']],
  ['a field is too many', { a: 1 }, { a: 1, b: 2 }, ['$.b: not recorded']],
  ['a field is too many where the recording was cut off', { a: 1 }, { a: 1, b: 2 }, [], false],
  ['another type', { a: 1 }, { a: '1' }, ['$.a: number recorded, string found']],
  ['null is like nothing', { a: null }, { b: null }, []],
  [
    'another reason',
    { reason: 'Gone' },
    { reason: 'Expired' },
    ['$.reason: "Gone" recorded, "Expired" found'],
  ],
  [
    'items are compared by name',
    { items: [item('a', { uid: 'x' })] },
    { items: [item('b'), item('a')] },
    ['$.items[a].metadata.uid: missing'],
  ],
  [
    'entries of managers by what they have written',
    {
      m: [
        { manager: 'a', operation: 'Update', f: 1 },
        { manager: 'a', operation: 'Update', subresource: 's' },
      ],
    },
    {
      m: [
        { manager: 'a', operation: 'Update', subresource: 's' },
        { manager: 'a', operation: 'Update' },
      ],
    },
    ['$.m[a Update].f: missing'],
  ],
  ['items that only one side has', { items: [item('a')] }, { items: [item('b', { uid: 'x' })] }, []],
  [
    'an item that must be there',
    { items: [item('needed'), item('a')] },
    { items: [item('b')] },
    ['$.items[needed]: missing'],
  ],
  ['no items at all', { items: [item('a')] }, { items: [] }, ['$.items: empty']],
  [
    'cells by their place',
    { cells: ['a', 1] },
    { cells: ['b', 'c'] },
    ['$.cells[1]: number recorded, string found'],
  ],
  [
    'fields named by data',
    { paths: { '/a': { x: 1 }, '/b': {} } },
    { paths: { '/a': {} } },
    ['$.paths./a.x: missing'],
  ],
  [
    'fields named by uids',
    { 'k:{"uid":"1"}': { a: {} } },
    { 'k:{"uid":"2"}': {} },
    ['$.k:{"uid":…}.a: missing'],
  ],
]
for (const [name, recorded, live, want, isWhole = true] of cases) {
  test(`shape: ${name}`, () => {
    const isNeeded = (each: unknown): boolean => nameOf(each) === 'needed'
    assert.deepEqual(shapeDifferences(recorded, live, { isWhole, isNeeded }), want)
  })
}
