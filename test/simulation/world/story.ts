import { integer, pick, type Random } from '@strata/world'
import type { Simulation } from '@strata/world/sim'
import { type Counts, count } from '../coverage.ts'
import type { Blow, Nemesis } from './nemesis.ts'
import type { Operator } from './operator.ts'
import type { Shape, Theme } from './shape.ts'

export type Act =
  | 'rollOut'
  | 'rollForms'
  | 'restartOne'
  | 'fullStop'
  | 'zombie'
  | 'twin'
  | 'foreigner'
  | 'rest'

/** What each theme is made of; what stands more than once happens more often. */
const themes: Readonly<
  Record<Theme, { acts: readonly [Act, ...Act[]]; blows: readonly Blow[]; everyMs: number }>
> = {
  anything: {
    acts: ['rollOut', 'rollForms', 'restartOne', 'fullStop', 'zombie', 'twin', 'foreigner', 'rest'],
    blows: ['freeze', 'cut', 'crash', 'storm', 'partition', 'clock', 'clock', 'compact'],
    everyMs: 12_000,
  },
  zombies: { acts: ['zombie', 'zombie', 'rollOut'], blows: ['clock', 'compact'], everyMs: 30_000 },
  twins: {
    acts: ['twin', 'twin', 'twin', 'restartOne'],
    blows: ['cut', 'freeze', 'storm', 'storm'],
    everyMs: 15_000,
  },
  rollouts: {
    acts: ['rollOut', 'rollOut', 'rollForms', 'fullStop', 'rest'],
    blows: ['crash', 'cut'],
    everyMs: 30_000,
  },
  /** To and fro without a rest, and nothing else. */
  upgrades: { acts: ['rollOut'], blows: [], everyMs: 30_000 },
  storms: {
    acts: ['rest', 'restartOne'],
    blows: ['storm', 'storm', 'cut', 'partition', 'compact'],
    everyMs: 8_000,
  },
  calm: { acts: ['rest', 'restartOne', 'rollOut', 'rollForms', 'foreigner'], blows: [], everyMs: 20_000 },
}

export interface StoryParts {
  readonly simulation: Simulation
  readonly random: Random
  readonly operator: Operator
  readonly nemesis: Nemesis
  readonly shape: Shape
  readonly counts: Counts
}

/** The part of a run in which things go wrong: one deed after the other, and blows in between. */
export async function tellStory({
  simulation,
  random,
  operator,
  nemesis,
  shape,
  counts,
}: StoryParts): Promise<void> {
  const { acts, blows, everyMs } = themes[shape.theme]
  const isOver = (): boolean => simulation.nowMs >= shape.troubleMs
  const wait = (delayMs: number): Promise<void> =>
    new Promise((resolve) => simulation.schedule(delayMs, 'story', resolve))

  const strike = async (): Promise<void> => {
    const [first, ...rest] = blows
    while (first) {
      await wait(everyMs * (0.3 + 1.4 * random.fraction()))
      if (isOver()) return
      const blow = pick(random, [first, ...rest])
      count(counts, `blow: ${blow}`)
      nemesis.strike(blow)
    }
  }
  const act = async (): Promise<void> => {
    await wait(3_000 + integer(random, 5_000))
    while (!isOver()) {
      const chosen = pick(random, acts)
      simulation.trace('act', { chosen })
      count(counts, `act: ${chosen}`)
      if (chosen !== 'rest') await operator[chosen]()
      await wait(1_000 + integer(random, 15_000))
    }
  }
  await Promise.all([operator.startAll(), strike(), act()])
}
