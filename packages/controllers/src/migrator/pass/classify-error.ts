import { ApiError, type GroupResource } from '@strata/api'
import {
  isAbsence,
  isBadRequest,
  isConflict,
  isForbidden,
  isFormatUnsupported,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotAllowed,
  isNotFound,
  isServerError,
  isTimeout,
  isTooLarge,
  isTooManyRequests,
  isUnanswered,
  isUnauthorized,
  isUnavailable,
  type ObjectReference,
} from '@strata/client'

/** Why an object could not be rewritten, in one word. */
export type Refusal =
  | 'Denied'
  | 'Invalid'
  | 'Forbidden'
  | 'Unauthorized'
  | 'TooLarge'
  | 'Unsupported'
  /** Only in a dry run: a webhook that has side effects cannot be asked, so what it would answer is unknown. */
  | 'NoDryRun'
  | 'NamespaceTerminating'
  | 'NamespaceGone'
  | 'WebhookUnavailable'
  | 'ConversionFailed'
  | 'Undecodable'
  | 'NotServed'
  | 'Throttled'
  | 'Unavailable'
  | 'Unexpected'

export type Verdict =
  /** The server said that this very object is not there: nothing of it is stored. */
  | { readonly do: 'forget' }
  /** Another client wrote it, or an object that it depends on. */
  | { readonly do: 'read again' }
  /** It may be gone already; if it is still there, it is tried again. */
  | { readonly do: 'look'; readonly reason: Refusal }
  /** Nothing is wrong with the object: it is retried later. All others slow down too. */
  | { readonly do: 'slow down'; readonly reason: Refusal }
  /** May pass by itself. After the last try the object is quarantined, or the run ends (`inTheEnd`). */
  | { readonly do: 'retry'; readonly reason: Refusal; readonly inTheEnd: 'quarantine' | 'abort' }
  /** This way of writing never works for this resource, object or caller; another may. */
  | { readonly do: 'fall back'; readonly reason: Refusal }
  /** Only a change of the object, or of the rules, helps. */
  | { readonly do: 'quarantine'; readonly reason: Refusal }

const retry = (reason: Refusal, inTheEnd: 'quarantine' | 'abort' = 'quarantine'): Verdict => ({
  do: 'retry',
  reason,
  inTheEnd,
})
const quarantine = (reason: Refusal): Verdict => ({ do: 'quarantine', reason })

/** Webhooks choose the status code of a refusal; servers put these words before its message. */
const deniedByWebhook = /^admission webhook "[^"]*" denied the request/
const deniedByPolicy = /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/
const webhookFailed = /failed calling webhook|failed to call webhook/
const conversionFailed = /conversion webhook for .* failed|conversion of .* failed/i
const undecodable =
  /cannot be decoded|cannot decode|no kind .* is registered|unable to decode|object not decodable|convert CR from an invalid group\/version/i
/** The server lacks the key of the object, or its key provider does not answer for a moment. */
const underUnknownKey =
  /unable to transform key|does not match any of the supported transformers|no matching (prefix|key)|tried to read encrypted data|object not transformable/i
const noDryRun = /does not support dry run/
const tooLarge = /request is too large|trying to send message larger than max|Request entity too large/i
/** Authorizers name a user; admission names the object. */
const noRight = /\b[Uu]ser "[^"]*" cannot \w+ resource/

/**
 * Classifies a failed write of one object. Every status and every transport error has a row: nothing is retried for ever, and
 * no transient error is final at once (docs/reference/upstream-behaviour.md, Q10, X1).
 */
export function classifyError(
  error: unknown,
  resource: GroupResource,
  { name, namespace }: ObjectReference,
): Verdict {
  if (!(error instanceof ApiError)) return classifySilence(error)
  const { reason, message } = error
  if (isAbsence(error, resource, name)) return { do: 'forget' }
  if (namespace && isAbsence(error, { group: '', resource: 'namespaces' }, namespace)) {
    // Updates are refused in a namespace that is gone, so this is not yet an absence of the object
    // (docs/reference/upstream-behaviour.md, Q8).
    return { do: 'look', reason: 'NamespaceGone' }
  }
  if (error.status.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating')) {
    return { do: 'look', reason: 'NamespaceTerminating' }
  }
  if (deniedByWebhook.test(message) || deniedByPolicy.test(message)) return quarantine('Denied')
  if (tooLarge.test(message)) return quarantine('TooLarge')
  if (noDryRun.test(message)) return quarantine('NoDryRun')
  const [, verdict] = byAnswer.find(([matches]) => matches(error)) ?? []
  return verdict?.(reason, message) ?? quarantine('Unexpected')
}

type ByMessage = (reason: string, message: string) => Verdict

const always =
  (verdict: Verdict): ByMessage =>
  () =>
    verdict

/** The first row that matches decides. */
const byAnswer: readonly (readonly [matches: (error: unknown) => boolean, verdict: ByMessage])[] = [
  [isBadRequest, always(quarantine('Invalid'))],
  // A token may be renewed meanwhile; without one nothing can be done at all.
  [isUnauthorized, always(retry('Unauthorized', 'abort'))],
  [
    isForbidden,
    (_, message) => (noRight.test(message) ? { do: 'fall back', reason: 'Forbidden' } : quarantine('Denied')),
  ],
  // The resource, not the object: this server at least does not serve it. The CRD may be gone.
  [isNotFound, always(retry('NotServed', 'abort'))],
  [isMethodNotAllowed, always({ do: 'fall back', reason: 'Unsupported' })],
  [isFormatUnsupported, always({ do: 'fall back', reason: 'Unsupported' })],
  [isConflict, always({ do: 'read again' })],
  [isGone, always({ do: 'look', reason: 'Unexpected' })],
  [isTooLarge, always(quarantine('TooLarge'))],
  // Validation of spec does not apply to a write of status: an old object may pass there.
  [isInvalid, always({ do: 'fall back', reason: 'Invalid' })],
  [isTooManyRequests, always({ do: 'slow down', reason: 'Throttled' })],
  [
    isInternalError,
    (reason, message) => {
      if (webhookFailed.test(message)) return retry('WebhookUnavailable')
      if (conversionFailed.test(message)) return retry('ConversionFailed')
      if (isUndecodable(reason, message)) return quarantine('Undecodable')
      // It lasts if the key is lost, and passes if the key management service restarts.
      if (isUnderUnknownKey(message)) return retry('Undecodable')
      return retry('Unavailable')
    },
  ],
  [isUnavailable, always({ do: 'slow down', reason: 'Unavailable' })],
  [isTimeout, always(retry('Unavailable'))],
  [isServerError, always(retry('Unavailable'))],
]

export function isUndecodable(reason: string, message: string): boolean {
  return reason === 'StorageReadError' || undecodable.test(message)
}

export function isUnderUnknownKey(message: string): boolean {
  return underUnknownKey.test(message)
}

/** Without an answer nothing is known about the object; the write is safe to send again. */
function classifySilence(error: unknown): Verdict {
  // Any other error is a bug, or the caller's wish to stop.
  if (!isUnanswered(error)) throw error
  return retry('Unavailable')
}
