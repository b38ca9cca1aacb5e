import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from './operation.ts'
import type { Heard, HeardObject } from './watched.ts'
import { checkWatches } from './watches.ts'

const put = (
  what: 'listed' | 'ADDED' | 'MODIFIED' | 'DELETED',
  key: string,
  colour: string,
  at: number,
): Heard => ({
  ...{ what, key, colour, at },
})
const list = (at: number): Heard => ({ what: 'list', at })
const watch = (at: number, incarnation = 0): Heard => ({ what: 'watch', at, incarnation })
const bookmark = (at: number): Heard => ({ what: 'BOOKMARK', at })
const wrote = (key: string, colour: string, revision: number, incarnation = 0): Operation => ({
  ...{ client: 'writer', key, action: { do: 'create', colour }, outcome: { is: 'stored', revision } },
  ...{ invokedMs: 0, returnedMs: 1, incarnation },
})

/** One watcher saw everything. The rows change what a second one heard. */
const whole: readonly Heard[] = [
  list(10),
  watch(10),
  put('ADDED', 'k', 'a', 11),
  put('MODIFIED', 'k', 'b', 12),
  put('ADDED', 'm', 'c', 13),
  put('DELETED', 'k', 'b', 14),
  put('ADDED', 'n', 'd', 15),
]
const operations = [wrote('k', 'a', 11), wrote('k', 'b', 12), wrote('m', 'c', 13), wrote('n', 'd', 15)]
const final = new Map<string, HeardObject>([
  ['m', { key: 'm', colour: 'c', at: 13 }],
  ['n', { key: 'n', colour: 'd', at: 15 }],
])
const without = (...indexes: number[]): Heard[] => whole.filter((_, index) => !indexes.includes(index))
const insert = (index: number, ...more: Heard[]): Heard[] => whole.toSpliced(index, 0, ...more)
const tail = whole.slice(5)

const cases: ReadonlyArray<readonly [name: string, heard: readonly Heard[], problem: RegExp | undefined]> = [
  ['everything, in order', whole, undefined],
  ['a bookmark in between', insert(4, bookmark(12)), undefined],
  ['a break, resumed at the last event', insert(4, watch(12)), undefined],
  ['a break, and the revision is sent again', insert(4, watch(12), put('MODIFIED', 'k', 'b', 12)), undefined],
  ['a break, resumed at a bookmark', insert(5, bookmark(13), watch(13)), undefined],
  [
    'history is gone: a list instead of what was missed',
    [
      ...whole.slice(0, 3),
      put('listed', 'k', 'b', 12),
      put('listed', 'm', 'c', 13),
      list(13),
      watch(13),
      ...tail,
    ],
    undefined,
  ],
  ['sabotage: an event is dropped', without(4), /missed ADDED m c at 13/],
  ['sabotage: the last event is dropped', without(6), /ends with undefined at undefined of n/],
  ['sabotage: a deletion is dropped', without(5), /missed DELETED k b at 14/],
  ['sabotage: an event comes twice', insert(4, put('MODIFIED', 'k', 'b', 12)), /came twice/],
  [
    'sabotage: events are swapped',
    [...whole.slice(0, 3), whole[4], whole[3], ...tail] as Heard[],
    /came after 13/,
  ],
  [
    'sabotage: a wrong value',
    without(3).toSpliced(3, 0, put('MODIFIED', 'k', 'x', 12)),
    /but another watcher heard/,
  ],
  [
    'sabotage: an addition of what stands there',
    without(3).toSpliced(3, 0, put('ADDED', 'k', 'b', 12)),
    /stood there/,
  ],
  [
    'sabotage: a bookmark runs ahead of an event',
    insert(4, bookmark(13)),
    /m at 13 came after a bookmark of 13/,
  ],
  [
    'sabotage: a bookmark runs ahead, and the resumed watch skips',
    without(4).toSpliced(4, 0, bookmark(13), watch(13)),
    /missed ADDED m/,
  ],
  ['sabotage: a bookmark goes back', insert(4, bookmark(11)), /a bookmark of 11 after 12/],
  [
    'sabotage: a watch resumes further on',
    without(4).toSpliced(4, 0, watch(13)),
    /resumed at 13 instead of 12/,
  ],
  [
    'sabotage: a list is older than what was heard',
    insert(4, put('listed', 'k', 'a', 11), list(11), watch(11)),
    /a list at 11 after 12/,
  ],
  [
    'sabotage: a list shows what was overwritten',
    [
      ...whole.slice(0, 3),
      put('listed', 'k', 'a', 11),
      put('listed', 'm', 'c', 13),
      list(13),
      watch(13),
      ...tail,
    ],
    /shows a at 11 of k after MODIFIED k b at 12/,
  ],
  [
    'sabotage: a list leaves out an object',
    [...whole.slice(0, 3), put('listed', 'k', 'b', 12), list(13), watch(13), ...tail],
    /shows nothing of m after ADDED m/,
  ],
  [
    'sabotage: an event that only this watcher heard',
    insert(6, put('ADDED', 'ghost', 'g', 14)),
    /missed ADDED ghost g at 14|ghost/,
  ],
]

for (const [name, heard, problem] of cases) {
  test(`watches: ${name}`, () => {
    const watchers = [
      { name: 'first', heard: whole },
      { name: 'second', heard },
    ]
    const problems = checkWatches({ watchers, operations, final }).join('\n')
    if (problem) assert.match(problems, problem)
    else assert.equal(problems, '')
  })
}

test('watches: a change that all watchers missed is known from the response to the writer', () => {
  const watchers = [{ name: 'only', heard: without(4) }]
  assert.match(checkWatches({ watchers, operations, final }).join(), /missed m c at 13/)
})

test('watches: after a restore, revisions begin again at the backup, and belong to another incarnation', () => {
  const heard = [
    ...whole,
    put('listed', 'k', 'a', 11),
    list(11),
    watch(11, 1),
    put('ADDED', 'm', 'other', 12),
  ]
  const restored = new Map([
    ['k', { key: 'k', colour: 'a', at: 11 }],
    ['m', { key: 'm', colour: 'other', at: 12 }],
  ])
  const answered = [...operations, wrote('m', 'other', 12, 1)]
  const watchers = [
    { name: 'first', heard },
    { name: 'second', heard },
  ]
  assert.deepEqual(checkWatches({ watchers, operations: answered, final: restored }), [])
  const deaf = [{ name: 'deaf', heard: heard.slice(0, -1) }]
  assert.match(
    checkWatches({ watchers: deaf, operations: answered, final: restored }).join(),
    /deaf: ends with/,
  )
})
