import { ApiError } from '@strata/api'
import { isConflict, isRequestFailure, isTooManyRequests, mayHaveActed } from '@strata/client'

/**
 * What is known of a change that was sent when the call has failed.
 * `refused`: the server has answered that it is not done. `not done`: nor was it refused
 * for good. `unknown`: it may be done, or be done a moment later. `bug`: it was not sent at all, or by something that is broken.
 */
export type PatchOutcome = 'refused' | 'not done' | 'unknown' | 'bug'

export function outcomeOfPatch(error: unknown): PatchOutcome {
  if (!isRequestFailure(error)) return 'bug'
  if (isConflict(error) || isTooManyRequests(error)) return 'not done'
  if (mayHaveActed(error)) return 'unknown'
  return error instanceof ApiError ? 'refused' : 'not done'
}
