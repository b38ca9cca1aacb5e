import { ApiError } from '@strata/api'
import { isInternalError, isTimeout, isTransient } from '@strata/client'
import { isUndecodable } from '@strata/controllers'
import { type Clock, deadline, sleep } from '@strata/world'
import type { CliContext } from '../../context.ts'

/** For so long a server may be away. */
export const patienceMs = 60_000
/** For a reading of everything that is stored: longer than servers allow for it. */
export const readMs = 630_000
/** For so long a server may answer one request with an internal error. */
const failureMs = 15_000
const lookEveryMs = 1_000

export interface LookOptions {
  /** For one look. */
  readonly limitMs: number
  readonly patienceMs: number
  readonly isWorthIt: (error: unknown) => boolean
  /** Called before each retry. */
  readonly onWait: (error: unknown) => void
}

/** Looks, and looks again while that may help; Ctrl-C ends it. */
export async function withRetries<T>(
  { world: { clock }, signal }: Pick<CliContext, 'world' | 'signal'>,
  look: (signal: AbortSignal) => Promise<T>,
  options: LookOptions,
): Promise<T> {
  const endMs = clock.monotonicMs() + options.patienceMs
  for (;;) {
    const limit = deadline(clock, options.limitMs, signal)
    try {
      return await look(limit.signal)
    } catch (error) {
      if (signal.aborted || !options.isWorthIt(error) || clock.monotonicMs() >= endMs) throw error
      options.onWait(error)
    } finally {
      limit.dispose()
    }
    await sleep(clock, lookEveryMs, signal).catch(() => {})
  }
}

/** A reading that has taken too long takes as long the next time. */
export const isTransientForReading = (error: unknown): boolean => isTransient(error) && !isTimeout(error)

/**
 * For one page. A broken conversion webhook, or a lost key, is an internal error of every request: it gets less time than a server
 * that restarts. Bytes that no server can decode get none.
 */
export function isTransientForPage(clock: Clock): (error: unknown) => boolean {
  let endMs: number | undefined
  return (error) => {
    if (!isInternalError(error)) return isTransient(error)
    if (error instanceof ApiError && isUndecodable(error.reason, error.message)) return false
    endMs ??= clock.monotonicMs() + failureMs
    return clock.monotonicMs() < endMs
  }
}

/** The reason to wait, in a few words. */
export function waitingText(error: unknown): string {
  return error instanceof ApiError ? error.message : 'no server answers; asking again'
}
