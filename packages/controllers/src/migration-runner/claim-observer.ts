import type { Processes } from '@strata/world'
import {
  type ChangeTimer,
  type Claim,
  type ClaimDecision,
  type ClaimFacts,
  claimTimes,
  decideClaim,
  isContested,
  type MigrationView,
  mayUpstreamStart,
} from '../migration-object/index.ts'

export interface ClaimObserverOptions {
  /** Who we are. */
  readonly claim: Claim
  readonly processes: Pick<Processes, 'isGone'>
  readonly stillness: ChangeTimer
  /** Whether the servers are Strata's: then nobody else runs what they serve. */
  readonly isStrata: () => boolean
}

/** Whose the migrations are, as one runner has seen them in its term. */
export class ClaimObserver {
  readonly #options: ClaimObserverOptions
  /** Whose claims were there when we began. Whoever claims anything later began after us. */
  #predecessors: ReadonlySet<string> | undefined

  constructor(options: ClaimObserverOptions) {
    this.#options = options
  }

  /** To be told of every look, of which the first shows what those before us have left. */
  look(migrations: readonly MigrationView[]): void {
    this.#predecessors ??= new Set(
      migrations.flatMap(({ claim }) => (claim?.by === 'runner' ? [claim.id] : [])),
    )
    this.#options.stillness.keepOnly(new Set(migrations.map(({ uid }) => uid)))
    for (const each of migrations) this.#silentForMs(each)
  }

  /** Whether it is ours to take. */
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
   * Of one that has ended and says that it runs: how long it is left to whoever ended it. Upstream's own migrator says that
   * it has succeeded, then prunes the definition, then says that it no longer runs. Were we to say that in between, it
   * would never prune.
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
