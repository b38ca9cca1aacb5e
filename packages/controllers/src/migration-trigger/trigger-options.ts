import { looseSettledMs } from '@strata/api'

/** The proof that a finished migration needs before the trigger forgets older persisted versions. */
export const acceptances = ['proven', 'observed-clean', 'succeeded'] as const
export type Acceptance = (typeof acceptances)[number]

export interface TriggerOptions {
  /** How often discovery is read. The migration KEP: "10 minutes is a good middle ground." */
  readonly periodMs: number
  /** How many polls in a row must show the same hash before a migration starts. The KEP's rule says 2; its table uses 1. */
  readonly equalPolls: number
  /** By which share of the period a heartbeat may be late. Without it, reporters that drift apart could block for ever. */
  readonly jitterAllowance: number
  /** A heartbeat that is older than so many periods means that changes may have been missed (`staleLimitMs`). */
  readonly staleAfterPeriods: number
  /** A reporter that was silent for so many periods is forgotten. */
  readonly expiryPeriods: number
  /** How long an unfenced agreement must stand before it counts (agreement.md, rule 14). */
  readonly settleMs: number
  readonly accept: Acceptance
  /** The longest wait before a failed migration is retried. */
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
