import { ApiError } from '@strata/api'
import { isConflict, isRequestFailure, isTooManyRequests, mayHaveActed } from '@strata/client'

/**
 * The outcome of a patch whose call has failed.
 * `refused`: the server refused it. `not done`: it was not done, and a retry may succeed.
 * `unknown`: it may be done, now or a moment later. `bug`: it was not sent, or our own code is broken.
 */
export type PatchOutcome = 'refused' | 'not done' | 'unknown' | 'bug'

export function outcomeOfPatch(error: unknown): PatchOutcome {
  if (!isRequestFailure(error)) return 'bug'
  if (isConflict(error) || isTooManyRequests(error)) return 'not done'
  if (mayHaveActed(error)) return 'unknown'
  return error instanceof ApiError ? 'refused' : 'not done'
}
