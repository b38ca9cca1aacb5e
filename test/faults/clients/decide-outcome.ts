import { TransportError } from '@strata/world'
import type { Answer } from '../../support/fleet.ts'
import type { Action, Outcome } from '../checkers/operation.ts'

/** An outcome; nothing at all, for a read without a response; or a response that a client must never get. */
export type Decided = Outcome | 'nothing' | { readonly is: 'unexpected'; readonly text: string }

/** What a client may conclude from a response. 503 and 429 claim that nothing was written, and the checkers verify it. */
export function decideOutcome(
  action: Action,
  key: string,
  answer: Answer | Error,
  colourOf: (object: Answer['body']) => string | undefined,
): Decided {
  const isRead = action.do === 'read'
  if (answer instanceof Error) {
    if (isRead) return 'nothing'
    const isSent = !(answer instanceof TransportError) || answer.reached !== 'no'
    return isSent ? { is: 'unknown' } : { is: 'refused', why: 'could not connect' }
  }
  const { status, body } = answer
  const reason = String(body?.reason)
  const revision = Number(body?.metadata?.resourceVersion)
  if (status === 200 && isRead) return { is: 'seen', colour: colourOf(body) ?? 'white', revision }
  if (status === 200 && action.do === 'delete') return { is: 'deleted' }
  if (status === 200 || status === 201) return { is: 'stored', revision }
  if (status === 409) return { is: reason === 'AlreadyExists' ? 'exists' : 'conflict' }
  // The object is missing, not the path: a server that does not serve the kind says 404 too.
  if (status === 404 && body?.details?.name === key) return { is: 'absent' }
  if (status === 504) return isRead ? 'nothing' : { is: 'unknown' }
  if (status === 503 || status === 429)
    return isRead ? 'nothing' : { is: 'refused', why: `${status} ${reason}` }
  const said = typeof body === 'string' ? body : (body?.message ?? JSON.stringify(body))
  return { is: 'unexpected', text: `${action.do} ${key}: ${status} ${reason}: ${said}` }
}
