import { ApiError } from '@strata/api'
import { continueTokenOf, isExpired, MalformedAnswer } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'
import { isUndecodable, isUnderUnknownKey } from './classify-error.ts'

export type ListVerdict =
  /** The rest as it is now: after that, everything there was has been seen once. */
  | { readonly do: 'go on'; readonly continueToken: string }
  | { readonly do: 'begin anew' }
  /** Perhaps with a smaller page; briefly, where it either passes soon or never. */
  | { readonly do: 'retry'; readonly smaller?: boolean; readonly isBrief?: boolean }
  | { readonly do: 'abort' }

/** What a page that could not be had means for the listing (behaviour.md 3.4, with an end to every row). */
export function classifyListError(error: unknown): ListVerdict {
  if (!(error instanceof ApiError)) {
    const isSilence =
      error instanceof TransportError || error instanceof DeadlineExceeded || error instanceof MalformedAnswer
    if (!isSilence) throw error
    return error instanceof DeadlineExceeded ? { do: 'retry', smaller: true } : { do: 'retry' }
  }
  if (isExpired(error)) {
    const continueToken = continueTokenOf(error)
    return continueToken === undefined ? { do: 'begin anew' } : { do: 'go on', continueToken }
  }
  const { code, reason, message } = error
  // The list is refused as long as one of its objects cannot be decoded, and names them: asking again mends none of them.
  // A server that serves none of them because of its release speaks for itself: one that can may answer next, or be started.
  if (code !== 503 && isUndecodable(reason, message)) return { do: 'abort' }
  if (isUnderUnknownKey(message)) return { do: 'retry', isBrief: true }
  if (code === 400 && /continue/.test(message)) return { do: 'begin anew' }
  if (code === 413) return { do: 'retry', smaller: true }
  // A server behind a balancer may not know a definition yet, and a token may be about to be renewed.
  if (code === 404 || code === 401) return { do: 'retry', isBrief: true }
  if (code === 408 || code === 429 || code === 504 || code === 500)
    return { do: 'retry', smaller: code !== 429 }
  return code < 500 ? { do: 'abort' } : { do: 'retry' }
}
