import { shuffled } from '@strata/world'
import { createSimRandom } from '@strata/world/sim'
import { SimLab } from '../lab/sim-lab.ts'
import type { RehearsalPath } from '../path/rehearsal-path.ts'
import type { FoundInterleaving, InterleavingSearch, StepResult } from '../result/rehearsal-result.ts'
import { isWorse } from '../verdict/decide-verdict.ts'
import { Interruption, planInterruptions } from './interruption.ts'
import { type PlayedPath, playSteps } from './play-steps.ts'
import { tellStory } from './tell-story.ts'

interface SearchOptions {
  readonly seed: string
  readonly onPlayed: (searched: number) => void
  readonly signal: AbortSignal | undefined
}

/**
 * Plays the path again, each time with another server that stops in the middle of a write and goes on later. Ends at the first
 * play with a step that is worse than without the interruption. The seed decides which ones are tried.
 */
export async function searchInterleavings(
  path: RehearsalPath,
  plain: PlayedPath,
  { seed, onPlayed, signal }: SearchOptions,
): Promise<InterleavingSearch> {
  const plans = planInterruptions(path)
  const chosen = shuffled(plans, createSimRandom(`${seed} interleavings`)).slice(0, path.interleavings)
  const lateWrites = { stored: 0, refused: 0 }
  let searched = 0
  for (const plan of chosen) {
    signal?.throwIfAborted()
    const interruption = new Interruption(plan)
    const played = await playSteps(path, new SimLab(path, seed), { interruption, signal })
    searched++
    onPlayed(searched)
    if (interruption.outcome !== undefined) lateWrites[interruption.outcome]++
    const found = findWorse(plain.steps, played)
    if (found) return { searched, possible: plans.length, lateWrites, found }
  }
  return { searched, possible: plans.length, lateWrites }
}

function findWorse(
  plain: readonly StepResult[],
  { steps, events }: PlayedPath,
): FoundInterleaving | undefined {
  const worse = steps.find(
    ({ verdict, step }) => isWorse(verdict, plain[step - 1]?.verdict ?? 'safe') && verdict === 'unsafe',
  )
  if (!worse) return undefined
  const { step, verdict, reasons } = worse
  const before = events.filter((each) => each.step <= step)
  return { step, verdict, reasons, story: tellStory(before), events }
}
