import type { TriggerOptions } from './trigger-options.ts'

/** A look is due one period after the one before, and comes later by whatever it has to wait for: less than another period. */
const leastPeriods = 2

/**
 * How old a heartbeat may be before it tells that nobody has looked. The migration KEP asks for that when a controller
 * bootstraps, and so its one period is kept there. Whoever has looked before is the one whose own heartbeat it is.
 * Otherwise: looks are a period and some seconds apart, each finds the heartbeat of the one before too old, and everything
 * is Unknown for ever.
 */
export function staleLimitMs(
  { periodMs, staleAfterPeriods }: Pick<TriggerOptions, 'periodMs' | 'staleAfterPeriods'>,
  hasLooked: boolean,
): number {
  return periodMs * (hasLooked ? Math.max(staleAfterPeriods, leastPeriods) : staleAfterPeriods)
}
