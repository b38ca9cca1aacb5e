import { type Clock, sleep } from './clock.ts'
import { jitter, type Random } from './random.ts'

export interface BackoffPolicy {
  readonly firstMs: number
  readonly maxMs: number
  /** How many tries in all, the first included. */
  readonly attempts: number
}

/** Doubles from `firstMs` to `maxMs`. */
export function backoffMs(policy: BackoffPolicy, attempt: number): number {
  return Math.min(policy.maxMs, policy.firstMs * 2 ** attempt)
}

/**
 * Calls `action` until it succeeds, the tries are used up, `retryable` says no, or the signal is
 * aborted. Waits between tries, with jitter, so that servers that failed together do not retry together.
 */
export async function retry<T>(
  world: { readonly clock: Clock; readonly random: Random },
  policy: BackoffPolicy,
  action: (attempt: number) => Promise<T>,
  retryable: (error: unknown) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await action(attempt)
    } catch (error) {
      if (attempt + 1 >= policy.attempts || !retryable(error)) throw error
    }
    await sleep(world.clock, jitter(world.random, backoffMs(policy, attempt), 0.25), signal)
  }
}
