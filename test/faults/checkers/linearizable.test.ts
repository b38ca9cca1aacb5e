import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkLinearizable, type Verdict } from './linearizable.ts'
import type { Action, Operation, Outcome } from './operation.ts'

/** `[call, return, action, outcome]`; an unknown outcome has no return. */
type Line = readonly [number, number, Action, Outcome]

const create = (colour: string): Action => ({ do: 'create', colour })
const replace = (from: string, revision: number, colour: string): Action => ({
  do: 'replace',
  colour,
  expected: { colour: from, revision },
})
const remove = (colour: string, revision: number): Action => ({
  do: 'delete',
  expected: { colour, revision },
})
const read: Action = { do: 'read' }
const stored = (revision: number): Outcome => ({ is: 'stored', revision })
const seen = (colour: string, revision: number): Outcome => ({ is: 'seen', colour, revision })
const absent: Outcome = { is: 'absent' }
const unknown: Outcome = { is: 'unknown' }
const open = Number.POSITIVE_INFINITY

const historyOf = (lines: readonly Line[]): Operation[] =>
  lines.map(([invokedMs, returnedMs, action, outcome], index) => ({
    ...{ client: `client-${index}`, key: 'k', incarnation: 0 },
    ...{ action, outcome, invokedMs, returnedMs },
  }))

const cases: ReadonlyArray<readonly [name: string, want: Verdict['is'], lines: readonly Line[]]> = [
  ['nothing happened', 'linearizable', []],
  [
    'a read after a write sees it',
    'linearizable',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, read, seen('a', 5)],
    ],
  ],
  [
    'sabotage: a read after an acknowledged write sees nothing',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, read, absent],
    ],
  ],
  [
    'a read beside a write may miss it',
    'linearizable',
    [
      [0, 3, create('a'), stored(5)],
      [1, 2, read, absent],
    ],
  ],
  [
    'sabotage: a read goes back to what an earlier read had left behind',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 9, replace('a', 5, 'b'), stored(6)],
      [3, 4, read, seen('b', 6)],
      [5, 6, read, seen('a', 5)],
    ],
  ],
  [
    'sabotage: two updates of the same state are both acknowledged',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, replace('a', 5, 'b'), stored(6)],
      [2, 3, replace('a', 5, 'c'), stored(7)],
    ],
  ],
  [
    'of two updates of the same state one is refused by its precondition',
    'linearizable',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, replace('a', 5, 'b'), stored(6)],
      [2, 3, replace('a', 5, 'c'), { is: 'conflict' }],
      [4, 5, read, seen('b', 6)],
    ],
  ],
  [
    'sabotage: a write that was refused is read',
    'violated',
    [
      [0, 1, create('a'), { is: 'refused', why: '503' }],
      [2, 3, read, seen('a', 5)],
    ],
  ],
  [
    'a write of unknown outcome may have happened',
    'linearizable',
    [
      [0, open, create('a'), unknown],
      [2, 3, read, seen('a', 5)],
    ],
  ],
  [
    'a write of unknown outcome may not have happened',
    'linearizable',
    [
      [0, open, create('a'), unknown],
      [2, 3, read, absent],
    ],
  ],
  [
    'a write of unknown outcome may arrive late',
    'linearizable',
    [
      [0, open, create('a'), unknown],
      [2, 3, read, absent],
      [90, 91, read, seen('a', 5)],
    ],
  ],
  [
    'sabotage: a write of unknown outcome is seen before it was sent',
    'violated',
    [
      [2, 3, read, seen('a', 5)],
      [4, open, create('a'), unknown],
    ],
  ],
  [
    'sabotage: a write of unknown outcome undoes a later one, though its precondition fails',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, open, replace('a', 5, 'late'), unknown],
      [3, 4, replace('a', 5, 'b'), stored(6)],
      [5, 6, read, seen('late', 7)],
    ],
  ],
  [
    'an unknown deletion explains that the key is free again',
    'linearizable',
    [
      [0, 1, create('a'), stored(5)],
      [2, open, remove('a', 5), unknown],
      [3, 4, create('b'), stored(8)],
      [5, 6, read, seen('b', 8)],
    ],
  ],
  [
    'sabotage: a create succeeds where something stands',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, create('b'), stored(6)],
    ],
  ],
  [
    'sabotage: a create finds something where nothing stands',
    'violated',
    [[0, 1, create('a'), { is: 'exists' }]],
  ],
  [
    'sabotage: a deletion was acknowledged, and the object is back',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, remove('a', 5), { is: 'deleted' }],
      [4, 5, read, seen('a', 5)],
    ],
  ],
  [
    'a migration writes the same value again at a later revision',
    'linearizable',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, read, seen('a', 9)],
      [4, 5, replace('a', 9, 'b'), stored(11)],
    ],
  ],
  [
    'sabotage: the revision of a value goes back',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, read, seen('a', 9)],
      [4, 5, read, seen('a', 5)],
    ],
  ],
  [
    'sabotage: revisions of acknowledged writes do not grow',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, replace('a', 5, 'b'), stored(5)],
    ],
  ],
  [
    'what was acknowledged after the backup is gone after the restore',
    'linearizable',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, { do: 'backup' }, { is: 'done' }],
      [4, 5, replace('a', 5, 'b'), stored(6)],
      [6, 8, { do: 'restore' }, { is: 'done' }],
      [9, 10, read, seen('a', 5)],
      [11, 12, replace('a', 5, 'c'), stored(6)],
    ],
  ],
  [
    'sabotage: what was restored away is served after the restore',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, { do: 'backup' }, { is: 'done' }],
      [4, 5, replace('a', 5, 'b'), stored(6)],
      [6, 8, { do: 'restore' }, { is: 'done' }],
      [9, 10, read, seen('b', 6)],
    ],
  ],
  [
    'sabotage: what the backup holds is missing after the restore',
    'violated',
    [
      [0, 1, create('a'), stored(5)],
      [2, 3, { do: 'backup' }, { is: 'done' }],
      [6, 8, { do: 'restore' }, { is: 'done' }],
      [9, 10, read, absent],
    ],
  ],
  [
    'a write that overlaps the backup may be in it or not',
    'linearizable',
    [
      [0, 4, create('a'), stored(5)],
      [2, 3, { do: 'backup' }, { is: 'done' }],
      [6, 8, { do: 'restore' }, { is: 'done' }],
      [9, 10, read, absent],
    ],
  ],
]

for (const [name, want, lines] of cases) {
  test(`linearizable: ${name}`, () => assert.equal(checkLinearizable(historyOf(lines)).is, want))
}

test('linearizable: the operation that no order explains is named', () => {
  const lines: Line[] = [
    [0, 1, create('a'), stored(5)],
    [2, 3, read, absent],
  ]
  const verdict = checkLinearizable(historyOf(lines))
  assert.ok(verdict.is === 'violated')
  assert.deepEqual(
    [verdict.stuck?.client, verdict.explained.map(({ client }) => client)],
    ['client-1', ['client-0']],
  )
})

test('linearizable: twenty open writes and two hundred reads are decided quickly', () => {
  const lines: Line[] = Array.from({ length: 20 }, (_, index) => [
    index,
    open,
    create(`open-${index}`),
    unknown,
  ])
  lines.push([30, 31, create('a'), stored(5)])
  for (let at = 40; at < 440; at += 2) lines.push([at, at + 3, read, seen('a', 5)])
  assert.equal(checkLinearizable(historyOf(lines)).is, 'linearizable')
})

test('linearizable: a search that is given up says so, and claims nothing', () => {
  const lines: Line[] = [
    [0, 9, create('a'), stored(5)],
    [0, 9, read, seen('a', 5)],
  ]
  assert.equal(checkLinearizable(historyOf(lines), { limit: 0 }).is, 'undecided')
})
