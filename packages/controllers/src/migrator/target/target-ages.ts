import { type GroupResource, groupResourceText } from '@strata/api'
import { type Clock, sleep } from '@strata/world'
import { type MigrationTarget, sameTarget, type TargetDecision } from './target.ts'

/** The targets of several resources, by name; without those that could not be read. */
export type Looks = ReadonlyMap<string, TargetDecision>

interface Standing {
  readonly target: MigrationTarget
  /** When the answer came that first showed it. */
  readonly sinceMs: number
  /** When the last request was sent. */
  readonly askedMs: number
}

const lookEveryMs = 5_000
/** A hash that was not read for longer may have changed and changed back. */
const longestGapMs = 15_000

/**
 * Since when this process has seen the targets of several resources unchanged. Unfenced targets (rule 14) have to stand for a
 * while before the first write, and this lets their waits overlap. The time of a target starts after the answer that showed
 * it. Only a hash can change back unseen: epochs and generations only grow.
 */
export class TargetAges {
  readonly #clock: Clock
  readonly #standing = new Map<string, Standing>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call it with each answer; undefined: there was none, and nothing follows. */
  see(resource: GroupResource, decision: TargetDecision | undefined, askedMs: number): void {
    if (decision === undefined) return
    const name = groupResourceText(resource)
    if (!decision.agreed) this.#standing.delete(name)
    else {
      const { target } = decision
      const sinceMs = this.#ofSame(target)?.sinceMs ?? this.#clock.monotonicMs()
      this.#standing.set(name, { target, sinceMs, askedMs })
    }
  }

  stoodForMs(target: MigrationTarget): number {
    const { sinceMs } = this.#ofSame(target) ?? {}
    return sinceMs === undefined ? 0 : this.#clock.monotonicMs() - sinceMs
  }

  /** Reads targets that could change back unseen, periodically, until the signal is aborted. */
  async watch(
    waiting: () => readonly GroupResource[],
    look: (resources: readonly GroupResource[]) => Promise<Looks>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#clock, lookEveryMs, signal).catch(() => {})
      const watched = waiting().filter((each) => {
        return this.#standing.get(groupResourceText(each))?.target.how === 'discovery'
      })
      if (watched.length === 0 || signal.aborted) continue
      const askedMs = this.#clock.monotonicMs()
      const looks: Looks = await look(watched).catch(() => new Map())
      for (const each of watched) this.see(each, looks.get(groupResourceText(each)), askedMs)
    }
  }

  #ofSame(target: MigrationTarget): Standing | undefined {
    const standing = this.#standing.get(groupResourceText(target.resource))
    if (standing === undefined || !sameTarget(standing.target, target).same) return undefined
    const isWatched = this.#clock.monotonicMs() - standing.askedMs <= longestGapMs
    return target.how !== 'discovery' || isWatched ? standing : undefined
  }
}
