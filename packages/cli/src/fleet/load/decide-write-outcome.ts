import { isSuccess, isTimeout } from '@strata/client'
import { TransportError } from '@strata/world'

export type WriteOutcome = 'written' | 'refused' | 'unknown'

/** What became of a write: by the status of its answer, or by the error that came instead. */
export function decideWriteOutcome(
  answer: { readonly status: number } | { readonly error: unknown },
): WriteOutcome {
  if ('status' in answer) {
    // The server itself does not know whether it has stored the object.
    if (isTimeout(answer)) return 'unknown'
    return isSuccess(answer) ? 'written' : 'refused'
  }
  const { error } = answer
  return error instanceof TransportError && error.reached === 'no' ? 'refused' : 'unknown'
}
