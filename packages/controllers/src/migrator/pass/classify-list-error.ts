import { ApiError } from '@strata/api'
import {
  continueTokenOf,
  isBadRequest,
  isExpired,
  isInternalError,
  isNotFound,
  isServerError,
  isTimeout,
  isTooLarge,
  isTooManyRequests,
  isUnanswered,
  isUnauthorized,
  isUnavailable,
} from '@strata/client'
import { isUndecodable, isUnderUnknownKey } from './classify-error.ts'

export type ListVerdict =
  /** Lists the rest in its current state: after that, every object has been listed once. */
  | { readonly do: 'go on'; readonly continueToken: string }
  | { readonly do: 'begin anew' }
  /** `smaller`: with a smaller page. `isBrief`: only for a short time, because the error passes soon or never. */
  | { readonly do: 'retry'; readonly smaller?: boolean; readonly isBrief?: boolean }
  | { readonly do: 'abort' }

/**
 * Classifies a failed list of a page (docs/reference/upstream-behaviour.md, 3.4). No error is retried for ever.
 */
export function classifyListError(error: unknown): ListVerdict {
  if (!(error instanceof ApiError)) {
    if (!isUnanswered(error)) throw error
    return isTimeout(error) ? { do: 'retry', smaller: true } : { do: 'retry' }
  }
  if (isExpired(error)) {
    const continueToken = continueTokenOf(error)
    return continueToken === undefined ? { do: 'begin anew' } : { do: 'go on', continueToken }
  }
  const { reason, message } = error
  // The list fails while one of its objects cannot be decoded: a retry does not help. A 503 is only about the server that
  // answered, whose release does not serve the resource: another server may answer.
  if (!isUnavailable(error) && isUndecodable(reason, message)) return { do: 'abort' }
  if (isUnderUnknownKey(message)) return { do: 'retry', isBrief: true }
  if (isBadRequest(error) && /continue/.test(message)) return { do: 'begin anew' }
  // A server behind a load balancer may not know a CRD yet, and a token may be about to be renewed.
  if (isNotFound(error) || isUnauthorized(error)) return { do: 'retry', isBrief: true }
  if (isTooManyRequests(error)) return { do: 'retry', smaller: false }
  if (isTooLarge(error) || isTimeout(error) || isInternalError(error)) return { do: 'retry', smaller: true }
  return isServerError(error) ? { do: 'retry' } : { do: 'abort' }
}
