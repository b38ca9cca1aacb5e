import { shuffled } from '@strata/world'
import { createSimRandom } from '@strata/world/sim'
import { SimLab } from '../lab/sim-lab.ts'
import type { RehearsalPath } from '../path/rehearsal-path.ts'
import type { FoundInterleaving, InterleavingSearch, StepResult } from '../result/rehearsal-result.ts'
import { findWorse, stepToTell, withWorse } from '../verdict/worst-of-plays.ts'
import { Interruption, planInterruptions } from './interruption.ts'
import { type PlayedPath, playSteps } from './play-steps.ts'
import { tellStory } from './tell-story.ts'

interface SearchOptions {
  readonly seed: string
  readonly onPlayed: (searched: number) => void
  readonly signal: AbortSignal | undefined
}

export interface SearchedPath {
  /** With the verdict of the worst play of each step. */
  readonly steps: readonly StepResult[]
  readonly interleavings: InterleavingSearch
}

/**
 * Plays the path again, each time with another server that stops in the middle of a write and goes on later. Ends at the first
 * play with a step that becomes unsafe and is not expected to. The seed decides which ones are tried.
 */
export async function searchInterleavings(
  path: RehearsalPath,
  plain: PlayedPath,
  { seed, onPlayed, signal }: SearchOptions,
): Promise<SearchedPath> {
  const plans = planInterruptions(path)
  const chosen = shuffled(plans, createSimRandom(`${seed} interleavings`)).slice(0, path.interleavings)
  const lateWrites = { stored: 0, refused: 0 }
  let { steps } = plain
  let found: FoundInterleaving | undefined
  let searched = 0
  for (const plan of chosen) {
    signal?.throwIfAborted()
    const interruption = new Interruption(plan)
    const played = await playSteps(path, new SimLab(path, seed), { interruption, signal })
    searched++
    onPlayed(searched)
    if (interruption.outcome !== undefined) lateWrites[interruption.outcome]++
    const worse = findWorse(steps, played.steps)
    steps = withWorse(steps, worse)
    const told = stepToTell(worse)
    if (!told || (found && told.passed)) continue
    found = describeFound(told, played)
    // What is expected must not hide what comes after it, or what another play shows.
    if (!told.passed) break
  }
  const search = { searched, possible: plans.length, lateWrites }
  return { steps, interleavings: found ? { ...search, found } : search }
}

function describeFound({ step, verdict, reasons }: StepResult, { events }: PlayedPath): FoundInterleaving {
  const before = events.filter((each) => each.step <= step)
  return { step, verdict, reasons, story: tellStory(before), events }
}
