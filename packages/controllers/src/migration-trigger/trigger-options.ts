import { looseSettledMs } from '@strata/api'

/** How sure a finished migration must be before persisted versions are forgotten on its word. */
export const acceptances = ['proven', 'observed-clean', 'succeeded'] as const
export type Acceptance = (typeof acceptances)[number]

export interface TriggerOptions {
  /** How often discovery is looked at. The migration KEP: "10 minutes is a good middle ground." */
  readonly periodMs: number
  /** How many looks in a row have to show the same before a migration starts. The KEP's rule says 2, its table plays 1. */
  readonly equalPolls: number
  /** By which share of the period a heartbeat may be late. Without it, reporters that drift apart could block for ever. */
  readonly jitterAllowance: number
  /** A heartbeat that is older than so many periods means that changes may have been missed (`staleLimitMs`). */
  readonly staleAfterPeriods: number
  /** A reporter that was silent for so many periods is forgotten. */
  readonly expiryPeriods: number
  /** How long an agreement that nothing enforces has to stand before it is believed (agreement.md, rule 14). */
  readonly settleMs: number
  readonly accept: Acceptance
  /** How long to wait at most before a failed migration is tried again. */
  readonly retryMaxMs: number
}

export const triggerDefaults: TriggerOptions = {
  periodMs: 600_000,
  equalPolls: 2,
  jitterAllowance: 0.2,
  staleAfterPeriods: 2,
  expiryPeriods: 3,
  settleMs: looseSettledMs,
  accept: 'proven',
  retryMaxMs: 86_400_000,
}
