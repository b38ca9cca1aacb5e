import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { FleetBoard } from '../state/fleet-board.ts'
import type { ScenePhase } from '../state/fleet-state.ts'
import { SceneKeeper } from './scene-keeper.ts'

/** What is told, in order, and how long nothing is told afterwards. */
const cases: ReadonlyArray<
  [name: string, told: ReadonlyArray<readonly [state: ScenePhase, thenMs: number]>, shown: ScenePhase]
> = [
  ['plays while its command tells so', Array(12).fill(['playing', 10_000]), 'playing'],
  ['has stopped when its command was killed', [['playing', 61_000]], 'stopped'],
  [
    'that has ended stays as it ended',
    [
      ['playing', 10_000],
      ['proven', 61_000],
    ],
    'proven',
  ],
  [
    'goes on when its command is heard of again',
    [
      ['playing', 61_000],
      ['playing', 10_000],
    ],
    'playing',
  ],
]
for (const [name, told, shown] of cases) {
  test(`scene: one that ${name}`, async () => {
    const simulation = new Simulation('scene')
    const { clock } = simulation.process('up')
    const board = new FleetBoard(clock, {
      ...{ servers: [], releases: [], roll: null, load: null, scenes: [], resources: [] },
    })
    const keeper = new SceneKeeper(board, clock)
    for (const [state, thenMs] of told) {
      keeper.tell({ name: 's', title: 'T', proves: '', state, steps: [], sentence: '' })
      await simulation.run({ untilMs: simulation.nowMs + thenMs })
    }
    assert.deepEqual(
      board.state.scenes.map(({ state }) => state),
      [shown],
    )
  })
}
