import type { FleetState } from '../state/fleet-state.ts'
import type { Stage } from './stage.ts'

/** A scene shows one thing on real servers, in steps that a user could take by hand, and ends with what was seen. */
export interface Scene {
  readonly name: string
  readonly title: string
  /** What it is about to show. */
  readonly shows: string
  /** It starts a fleet for itself, because the running one has another set-up; undefined: it plays on the running one. */
  readonly ownFleet: OwnFleet | undefined
  /** Why the running fleet cannot play it now; undefined if it can. */
  whyNot(state: FleetState): string | undefined
  /** The steps, for the servers of the stage. */
  begin(state: FleetState): ScenePlay
}

export interface OwnFleet {
  /** In words: `which vote`. */
  readonly which: string
  /** Further arguments of `strata up`. Files go into the directory. */
  arguments(directory: string): Promise<readonly string[]>
}

/** One performance: the steps are taken in order, then the verdict is asked for. */
export interface ScenePlay {
  readonly steps: readonly PlayStep[]
  verdict(): Verdict
}

export interface StepText {
  readonly text: string
  /** What a user types for it, as arguments of `strata`, or a whole line that begins with `kubectl` or another program. */
  readonly typed: readonly string[]
  /** Where to look in the dashboard. */
  readonly look?: string
}

export interface PlayStep extends StepText {
  /** Returns what was seen. */
  act(stage: Stage): Promise<string>
}

export interface Verdict {
  readonly proven: boolean
  /** What was observed, without its full stop; if it is not proven, what was seen instead. */
  readonly sentence: string
}

/** What the steps of a scene have found out, each its part. */
export interface Seen<Facts> {
  readonly seen: string
  readonly facts?: Partial<Facts>
}

export interface SceneStep<Facts> extends StepText {
  act(stage: Stage, facts: Partial<Facts>): Promise<Seen<Facts>>
}

/** A scene whose steps share facts. The verdict is a pure decision about them, and only they can prove something. */
export interface ScenePlan<Facts> extends Omit<Scene, 'begin'> {
  steps(state: FleetState): readonly SceneStep<Facts>[]
  decide(facts: Partial<Facts>): Verdict
}

export function defineScene<Facts>({ steps, decide, ...plan }: ScenePlan<Facts>): Scene {
  return {
    ...plan,
    begin: (state) => {
      let facts: Partial<Facts> = {}
      return {
        steps: steps(state).map(({ act, ...text }) => ({
          ...text,
          act: async (stage) => {
            const { seen, facts: found } = await act(stage, facts)
            facts = { ...facts, ...found }
            return seen
          },
        })),
        verdict: () => decide(facts),
      }
    },
  }
}
