import { type GroupResource, groupResourceText } from '@strata/api'
import { type Clock, sleep } from '@strata/world'
import { type MigrationTarget, sameTarget, type TargetDecision } from './target.ts'

/** What a look at several resources has shown, by their names; of what could not be seen, nothing. */
export type Looks = ReadonlyMap<string, TargetDecision>

interface Standing {
  readonly target: MigrationTarget
  /** When the look that first showed it had its answer. */
  readonly sinceMs: number
  /** When the last one was asked for. */
  readonly askedMs: number
}

const lookEveryMs = 5_000
/** A hash that nobody looked at for longer may have gone and come back. */
const longestGapMs = 15_000

/**
 * Since when the targets of several resources stand, as this process has seen, so that where nobody guards what is written
 * (rule 14) the waits before their first writes overlap. Each is counted from after the look that showed that very target, and
 * not from before. Whatever is compared but a hash cannot come back unseen: epochs and generations only grow.
 */
export class TargetAges {
  readonly #clock: Clock
  readonly #standing = new Map<string, Standing>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be told of each look when it has an answer; undefined: there was none, and nothing is known by it. */
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

  /** Looks at those again and again that could come back unseen, until told otherwise. */
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
