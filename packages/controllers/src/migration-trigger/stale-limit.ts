import type { TriggerOptions } from './trigger-options.ts'

/** A read is due one period after the last one, and may be late, by less than another period. */
const leastPeriods = 2

/**
 * How old a heartbeat may be before changes may have been missed. The migration KEP says one period for a controller that
 * starts. A controller that has read before compares with its own heartbeat, and gets at least two periods. Otherwise: reads
 * are a period and some seconds apart, each finds the last heartbeat too old, and everything is Unknown for ever.
 */
export function staleLimitMs(
  { periodMs, staleAfterPeriods }: Pick<TriggerOptions, 'periodMs' | 'staleAfterPeriods'>,
  hasLooked: boolean,
): number {
  return periodMs * (hasLooked ? Math.max(staleAfterPeriods, leastPeriods) : staleAfterPeriods)
}
