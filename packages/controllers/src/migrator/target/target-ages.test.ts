import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { MigrationTarget } from './target.ts'
import { TargetAges } from './target-ages.ts'

const things = { group: 'g.dev', resource: 'things' }
const hash = (text: string): MigrationTarget => ({
  resource: things,
  how: 'discovery',
  fenced: false,
  hash: text,
})
const definition = (generation: number): MigrationTarget => ({
  ...{ resource: things, how: 'definition', fenced: false, encodingVersion: 'g.dev/v2' },
  definition: { uid: 'u', generation, storageVersion: 'v2' },
})

type Look = readonly [atSeconds: number, seen: MigrationTarget | 'disagreed' | 'no answer']
const rows: readonly [name: string, looks: readonly Look[], now: MigrationTarget, seconds: number][] = [
  ['no read', [], definition(1), 0],
  ['a definition in the same state: any reader', [[5, definition(1)]], definition(1), 95],
  ['a definition in another state', [[5, definition(1)]], definition(2), 0],
  [
    'changed meanwhile',
    [
      [5, definition(1)],
      [50, definition(2)],
    ],
    definition(2),
    50,
  ],
  [
    'servers that disagreed meanwhile',
    [
      [5, definition(1)],
      [50, 'disagreed'],
    ],
    definition(1),
    0,
  ],
  [
    'a look without an answer says nothing',
    [
      [5, definition(1)],
      [50, 'no answer'],
    ],
    definition(1),
    95,
  ],
  ['a hash that was not read again', [[5, hash('a')]], hash('a'), 0],
  ['a hash that was looked at all the time', everyTenSeconds('a'), hash('a'), 100],
  [
    'a hash that went and came back',
    [...everyTenSeconds('a', 40), [50, hash('b')], ...everyTenSeconds('a', 100, 60)],
    hash('a'),
    40,
  ],
  [
    'a hash that was not seen for a while',
    [...everyTenSeconds('a', 40), ...everyTenSeconds('a', 100, 60)],
    hash('a'),
    40,
  ],
]
for (const [name, looks, now, seconds] of rows) {
  test(`a target has stood for ${seconds} s of 100: ${name}`, async () => {
    const simulation = new Simulation(name)
    const { clock } = simulation.process('p')
    const startMs = simulation.nowMs
    const standing = new TargetAges(clock)
    for (const [atSeconds, seen] of looks) {
      await simulation.run({ untilMs: startMs + atSeconds * 1_000 })
      const decision =
        typeof seen === 'string'
          ? ({ agreed: false, because: seen } as const)
          : ({ agreed: true, target: seen } as const)
      standing.see(things, seen === 'no answer' ? undefined : decision, clock.monotonicMs())
    }
    await simulation.run({ untilMs: startMs + 100_000 })
    assert.equal(standing.stoodForMs(now), seconds * 1_000)
  })
}

function everyTenSeconds(text: string, untilSeconds = 100, fromSeconds = 0): readonly Look[] {
  const count = (untilSeconds - fromSeconds) / 10 + 1
  return Array.from({ length: count }, (_, index) => [fromSeconds + index * 10, hash(text)] as const)
}

test('a target stands from the answer of the look on, and not from the question', async () => {
  const simulation = new Simulation('answer')
  const { clock } = simulation.process('p')
  const standing = new TargetAges(clock)
  const askedMs = clock.monotonicMs()
  await simulation.run({ untilMs: simulation.nowMs + 8_000 })
  standing.see(things, { agreed: true, target: hash('a') }, askedMs)
  await simulation.run({ untilMs: simulation.nowMs + 2_000 })
  assert.equal(standing.stoodForMs(hash('a')), 2_000)
})

test('targets that could come back unseen are watched until their turn, and no others', async () => {
  const simulation = new Simulation('watched')
  const { clock } = simulation.process('p')
  const standing = new TargetAges(clock)
  const named = { ...definition(1), resource: { group: 'g.dev', resource: 'named' } }
  const waiting = [things, named.resource]
  for (const target of [hash('a'), named])
    standing.see(target.resource, { agreed: true, target }, clock.monotonicMs())
  const asked: string[] = []
  const over = new AbortController()
  const watched = standing.watch(
    () => waiting,
    async (resources) => {
      asked.push(...resources.map(({ resource }) => resource))
      return new Map([['things.g.dev', { agreed: true, target: hash('a') }]])
    },
    over.signal,
  )
  await simulation.run({ untilMs: simulation.nowMs + 80_000 })
  assert.ok(standing.stoodForMs(hash('a')) >= 70_000)
  assert.deepEqual([...new Set(asked)], ['things'])
  waiting.length = 0
  const before = asked.length
  await simulation.run({ untilMs: simulation.nowMs + 20_000 })
  assert.deepEqual([asked.length, standing.stoodForMs(hash('a'))], [before, 0])
  over.abort()
  await simulation.settle(watched)
})
