import { ApiError } from '@strata/api'
import { MalformedAnswer } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'

/**
 * What is known of a change that was sent when the call has failed.
 * `refused`: the server has answered that it is not done. `not done`: nor was it refused
 * for good. `unknown`: it may be done, or be done a moment later. `bug`: it was not sent at all, or by something that is broken.
 */
export type PatchOutcome = 'refused' | 'not done' | 'unknown' | 'bug'

export function outcomeOfPatch(error: unknown): PatchOutcome {
  if (error instanceof ApiError) {
    if (error.code === 409 || error.code === 429) return 'not done'
    // A server, or somebody between us and it, that has trouble of its own does not know what became of it.
    return error.code >= 500 || error.code === 408 ? 'unknown' : 'refused'
  }
  if (error instanceof TransportError && error.reached === 'no') return 'not done'
  const isCut = [TransportError, DeadlineExceeded, MalformedAnswer].some((each) => error instanceof each)
  return isCut ? 'unknown' : 'bug'
}
