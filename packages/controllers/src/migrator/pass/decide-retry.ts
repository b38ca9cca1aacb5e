export interface RetryLimits {
  /** Failures of an object, while others succeed, before it is quarantined. */
  readonly tries: number
  /** The same for answers that only ask to retry later. */
  readonly throttledTries: number
  readonly firstMs: number
  readonly maxMs: number
}

export const retryLimits: RetryLimits = { tries: 8, throttledTries: 40, firstMs: 250, maxMs: 30_000 }

export interface Failures {
  /** In a row, of any kind. */
  readonly failed: number
  /** Failures that count against the object: the first one, and those while other objects succeeded. */
  readonly counted: number
  readonly throttled: number
}

export const noFailures: Failures = { failed: 0, counted: 0, throttled: 0 }

export interface FailedTry {
  readonly isThrottled: boolean
  /** Whether any other object could be written since this one was tried before. */
  readonly othersSucceeded: boolean
  /** How long the server asked us to wait. */
  readonly retryAfterMs: number
}

export type RetryDecision =
  | { readonly do: 'again'; readonly afterMs: number; readonly failures: Failures }
  | { readonly do: 'give up' }

/**
 * Whether an object is tried again, and when. While no write succeeds, the object is not the cause: a server that is down for ten
 * minutes must not fill the quarantine with healthy objects. The run decides how long that may last.
 */
export function decideRetry(
  before: Failures,
  { isThrottled, othersSucceeded, retryAfterMs }: FailedTry,
  limits: RetryLimits = retryLimits,
  /** Uniform in [0, 1). */
  chance = 0,
): RetryDecision {
  const isFirst = before.failed === 0
  const speaksAgainstIt = isFirst || othersSucceeded
  const failures = {
    failed: before.failed + 1,
    counted: before.counted + (!isThrottled && speaksAgainstIt ? 1 : 0),
    throttled: before.throttled + (isThrottled && speaksAgainstIt ? 1 : 0),
  }
  if (failures.counted >= limits.tries || failures.throttled >= limits.throttledTries)
    return { do: 'give up' }
  const waitMs = Math.max(Math.min(limits.maxMs, limits.firstMs * 2 ** before.failed), retryAfterMs)
  // Never sooner than the server asked. Spread, so that objects that failed together are not retried together.
  return { do: 'again', afterMs: waitMs * (1 + 0.5 * chance), failures }
}
