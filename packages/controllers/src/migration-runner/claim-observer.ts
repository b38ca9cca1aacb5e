import { type Claim, type MigrationView, mayUpstreamStart } from '@strata/insight'
import type { Processes } from '@strata/world'
import {
  type ChangeTimer,
  type ClaimDecision,
  type ClaimFacts,
  claimTimes,
  decideClaim,
  isContested,
} from '../migration-object/index.ts'

export interface ClaimObserverOptions {
  /** The claim of this process. */
  readonly claim: Claim
  readonly processes: Pick<Processes, 'isGone'>
  readonly stillness: ChangeTimer
  /** Whether the servers are Strata's: then no other migrator runs their migrations. */
  readonly isStrata: () => boolean
}

/** Decides which migrations this runner may claim, by what it has seen in its term. */
export class ClaimObserver {
  readonly #options: ClaimObserverOptions
  /** The runner claims of before our term. Later ones are of leaders after us. */
  #predecessors: ReadonlySet<string> | undefined

  constructor(options: ClaimObserverOptions) {
    this.#options = options
  }

  /** Call it with every list. The first one shows what earlier leaders have left. */
  look(migrations: readonly MigrationView[]): void {
    this.#predecessors ??= new Set(
      migrations.flatMap(({ claim }) => (claim?.by === 'runner' ? [claim.id] : [])),
    )
    this.#options.stillness.keepOnly(new Set(migrations.map(({ uid }) => uid)))
    for (const each of migrations) this.#silentForMs(each)
  }

  /** Whether this runner may claim it. */
  decide(view: MigrationView): ClaimDecision {
    const { claim, isForeign, isPaused } = view
    const mayBecomeForeign = mayUpstreamStart(view) && !this.#options.isStrata()
    return decideClaim({
      ...{
        seeker: 'runner',
        isForeign,
        mayBecomeForeign,
        isPaused,
        silentForMs: this.#silentForMs(view),
        takeOver: false,
      },
      ...{ holder: claim && { by: claim.by, is: this.#holderIs(claim) }, controllers: 'alive' },
    })
  }

  /**
   * How long an ended migration whose Running condition is True is left to the migrator that ended it. Upstream's migrator
   * sets Succeeded, then prunes the CRD, then sets Running to False. If we set that in between, it would never prune.
   */
  tidyAfterMs(view: MigrationView): number {
    if (!view.isForeign || this.#options.isStrata()) return 0
    return claimTimes.foreignStartMs - this.#silentForMs(view)
  }

  /** Whether another process holds another migration of the same resource. */
  isContested(view: MigrationView, all: readonly MigrationView[]): boolean {
    return isContested(view, all, (other) => this.decide(other).do !== 'take')
  }

  #silentForMs({ uid, resourceVersion }: MigrationView): number {
    return this.#options.stillness.unchangedForMs(uid, resourceVersion)
  }

  #holderIs(claim: Claim): NonNullable<ClaimFacts['holder']>['is'] {
    const { claim: ours, processes } = this.#options
    if (claim.id === ours.id) return 'us'
    return this.#predecessors?.has(claim.id) || processes.isGone(claim) ? 'gone' : 'there'
  }
}
