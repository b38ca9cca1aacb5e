import type { Lab } from '../lab/lab.ts'
import { SimLab } from '../lab/sim-lab.ts'
import type { RehearsalPath } from '../path/rehearsal-path.ts'
import type { InterleavingSearch, RehearsalEvent, RehearsalResult } from '../result/rehearsal-result.ts'
import { worstVerdict } from '../verdict/decide-verdict.ts'
import { type PlayedPath, playSteps } from './play-steps.ts'
import { searchInterleavings } from './search-interleavings.ts'

export interface PlayOptions {
  /** The same seed gives the same result. */
  readonly seed?: string
  /** Called after each interleaving. */
  readonly onPlayed?: (searched: number) => void
  readonly signal?: AbortSignal
}

/** Plays a path in a simulated world, and searches for interleavings in which it is worse. */
export async function playPath(
  path: RehearsalPath,
  { seed = 'rehearsal', onPlayed = () => {}, signal }: PlayOptions = {},
): Promise<RehearsalResult> {
  const plain = await playSteps(path, new SimLab(path, seed), { signal })
  const { steps, interleavings } = await searchInterleavings(path, plain, { seed, onPlayed, signal })
  return { world: 'simulated', ...resultOf(path, { steps, events: plain.events }, interleavings) }
}

/** Plays a path once, in a lab of real processes. */
export async function playInLab(
  path: RehearsalPath,
  lab: Lab,
  onEvent: (event: RehearsalEvent) => void,
): Promise<RehearsalResult> {
  const none = { searched: 0, possible: 0, lateWrites: { stored: 0, refused: 0 } }
  return { world: 'processes', ...resultOf(path, await playSteps(path, lab, { onEvent }), none) }
}

const resultOf = (
  { server, servers }: RehearsalPath,
  { steps, events }: PlayedPath,
  interleavings: InterleavingSearch,
): Omit<RehearsalResult, 'world'> => ({
  ...{ server, servers, steps, events, interleavings },
  verdict: worstVerdict(steps.map(({ verdict }) => verdict)),
  passed: steps.every(({ passed }) => passed),
})
