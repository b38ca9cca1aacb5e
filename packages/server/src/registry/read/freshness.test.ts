import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData, type Store } from '../../store/homes.ts'
import { ReadBarrier } from '../../watch-cache/barrier.ts'
import { type Freshness, reachFreshness } from './freshness.ts'

const never = new AbortController().signal

interface Course {
  /** When the store answers with its newest revision, and which; never, if left out. */
  readonly answers?: { readonly atMs: number; readonly revision: number }
  /** The newest revision when the cache began in the past. */
  readonly floor?: number
  /** When the watch brings which revision. */
  readonly watch: ReadonlyArray<readonly [atMs: number, revision: number]>
}

/** When a read that begins now is served, or why it is not. */
async function readAt(freshness: Freshness, { answers, floor = 1, watch }: Course): Promise<string> {
  const simulation = new Simulation('freshness')
  const world = simulation.process('server')
  const store: Store = {
    ...createMemoryStore(new MemoryData()),
    currentRevision: () =>
      new Promise((resolve) => {
        if (answers) simulation.clock.after(answers.atMs, () => resolve(answers.revision))
      }),
  }
  const barrier = new ReadBarrier(store, world, async () => {})
  barrier.raiseFloor(floor)
  barrier.advance(5)
  for (const [atMs, revision] of watch) simulation.clock.after(atMs, () => barrier.advance(revision))
  const registry = { cache: { barrier }, world }
  const began = simulation.nowMs
  return simulation.settle(
    reachFreshness(registry, freshness, never).then(
      () => `served at ${simulation.nowMs - began}`,
      (error: Error) => error.message,
    ),
  )
}

const cases: ReadonlyArray<[name: string, freshness: Freshness, course: Course, want: string | RegExp]> = [
  ['any state will do at once', 'any', { watch: [] }, 'served at 0'],
  ['a state that has been seen is served at once', 5, { watch: [] }, 'served at 0'],
  [
    'a cache that comes from the past is not any state until it has come to the present',
    'any',
    {
      floor: 7,
      watch: [
        [20, 6],
        [30, 7],
      ],
    },
    'served at 30',
  ],
  [
    'nor is it a state that has been seen, for newer ones may have been seen too',
    4,
    {
      floor: 7,
      watch: [
        [20, 6],
        [30, 7],
      ],
    },
    'served at 30',
  ],
  [
    'a cache that does not come to the present is not filled',
    4,
    { floor: 7, watch: [[20, 6]] },
    /storage is \(re\)initializing/,
  ],
  [
    'the newest waits for the store and then for the watch',
    'newest',
    {
      answers: { atMs: 10, revision: 7 },
      watch: [
        [20, 6],
        [30, 7],
      ],
    },
    'served at 30',
  ],
  [
    'a newer state waits for the watch',
    7,
    {
      answers: { atMs: 10, revision: 7 },
      watch: [
        [20, 6],
        [30, 7],
      ],
    },
    'served at 30',
  ],
  [
    'once the watch has come there, what the store says no longer matters',
    7,
    { watch: [[30, 8]] },
    'served at 30',
  ],
  [
    'nor does a revision newer than was asked for',
    7,
    {
      answers: { atMs: 10, revision: 9 },
      watch: [
        [30, 7],
        [60, 9],
      ],
    },
    'served at 30',
  ],
  [
    'a state that is yet to come is waited for',
    7,
    { answers: { atMs: 10, revision: 5 }, watch: [[500, 7]] },
    'served at 500',
  ],
  [
    'a state that does not come is refused',
    9,
    { answers: { atMs: 10, revision: 5 }, watch: [[20, 6]] },
    /Too large resource version: 9, current: 6/,
  ],
]

for (const [name, freshness, course, want] of cases) {
  test(`freshness: ${name}`, async () => {
    const said = await readAt(freshness, course)
    if (typeof want === 'string') assert.equal(said, want)
    else assert.match(said, want)
  })
}
