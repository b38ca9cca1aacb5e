import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CompactionMemory, type CompactionTurn, decideCompaction } from './decide-compaction.ts'

const memory: CompactionMemory = { logicalTime: 3, revision: 50 }
const turn: CompactionTurn = { won: true, logicalTime: 0, revision: 90 }

const cases: ReadonlyArray<
  [
    name: string,
    memory: Partial<CompactionMemory>,
    turn: Partial<CompactionTurn>,
    compactTo: number | undefined,
    logicalTime: number,
  ]
> = [
  ['the winner forgets what was old one interval ago', {}, {}, 50, 4],
  ['the winner compacts to what it saw, not to what is newest', { revision: 60 }, {}, 60, 4],
  ['the loser compacts nothing and takes over the clock', {}, { won: false, logicalTime: 7 }, undefined, 7],
  ['the first turn ever compacts nothing', { logicalTime: 0, revision: 0 }, {}, undefined, 1],
  [
    'the first turn on a used etcd loses',
    { logicalTime: 0, revision: 0 },
    { won: false, logicalTime: 7 },
    undefined,
    7,
  ],
]
for (const [name, remembered, happened, compactTo, logicalTime] of cases) {
  test(`compaction: ${name}`, () => {
    assert.deepEqual(decideCompaction({ ...memory, ...remembered }, { ...turn, ...happened }), {
      compactTo,
      next: { logicalTime, revision: 90 },
    })
  })
}

test('compaction: of three taking turns one compacts per interval, to where the last turn of its own was', () => {
  let clock = 0
  const memories = [0, 1, 2].map((): CompactionMemory => ({ logicalTime: 0, revision: 0 }))
  const compacted: (number | undefined)[][] = []
  for (let interval = 0; interval < 4; interval++) {
    const row: (number | undefined)[] = []
    for (const [index, mine] of memories.entries()) {
      const won = mine.logicalTime === clock
      if (won) clock++
      const revision = 100 * (interval + 1) + index
      const decision = decideCompaction(mine, { won, logicalTime: clock, revision })
      memories[index] = decision.next
      row.push(decision.compactTo)
    }
    compacted.push(row)
  }
  assert.deepEqual(compacted, [
    [undefined, undefined, undefined],
    [100, undefined, undefined],
    [200, undefined, undefined],
    [300, undefined, undefined],
  ])
})
