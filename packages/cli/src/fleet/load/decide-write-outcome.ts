import { TransportError } from '@strata/world'

export type WriteOutcome = 'written' | 'refused' | 'unknown'

/** What a server says that does not know itself whether it has stored the object. */
const gatewayTimeout = 504

/** What became of a write: by the status of its answer, or by the error that came instead. */
export function decideWriteOutcome(
  answer: { readonly status: number } | { readonly error: unknown },
): WriteOutcome {
  if ('status' in answer) {
    if (answer.status === gatewayTimeout) return 'unknown'
    return answer.status >= 200 && answer.status < 300 ? 'written' : 'refused'
  }
  const { error } = answer
  return error instanceof TransportError && error.reached === 'no' ? 'refused' : 'unknown'
}
