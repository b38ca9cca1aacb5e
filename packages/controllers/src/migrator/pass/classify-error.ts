import { ApiError, type GroupResource } from '@strata/api'
import { isAbsence, MalformedAnswer, type ObjectReference } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'

/** What an object could not be rewritten for, in one word. */
export type Refusal =
  | 'Denied'
  | 'Invalid'
  | 'Forbidden'
  | 'Unauthorized'
  | 'TooLarge'
  | 'Unsupported'
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
  /** Somebody else wrote it, or something it depends on. */
  | { readonly do: 'read again' }
  /** It may be gone already; if it is still there, it is tried again. */
  | { readonly do: 'look'; readonly reason: Refusal }
  /** Nothing is wrong with the object: later, perhaps. All others slow down too. */
  | { readonly do: 'slow down'; readonly reason: Refusal }
  /** May pass by itself. When the tries are used up, the object is set aside, or else everything ends. */
  | { readonly do: 'retry'; readonly reason: Refusal; readonly inTheEnd: 'quarantine' | 'abort' }
  /** This way of writing will never do for this resource or this caller; another may. */
  | { readonly do: 'fall back'; readonly reason: Refusal }
  /** Only a change of the object, or of the rules, helps. */
  | { readonly do: 'quarantine'; readonly reason: Refusal }

const retry = (reason: Refusal, inTheEnd: 'quarantine' | 'abort' = 'quarantine'): Verdict => ({
  do: 'retry',
  reason,
  inTheEnd,
})
const quarantine = (reason: Refusal): Verdict => ({ do: 'quarantine', reason })

/** Whatever code a webhook chooses for its refusal, these are the words that servers put before it. */
const deniedByWebhook = /^admission webhook "[^"]*" denied the request/
const deniedByPolicy = /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/
const webhookFailed = /failed calling webhook|failed to call webhook/
const conversionFailed = /conversion webhook for .* failed|conversion of .* failed/i
const undecodable =
  /cannot be decoded|cannot decode|no kind .* is registered|unable to decode|convert CR from an invalid group\/version/i
/** The key that it was written under is not among those that the server has; or whoever keeps them is away for a moment. */
const underUnknownKey =
  /unable to transform key|does not match any of the supported transformers|no matching (prefix|key)|tried to read encrypted data/i
const noDryRun = /does not support dry run/
const tooLarge = /request is too large|trying to send message larger than max|Request entity too large/i
/** RBAC and its like speak of a user; admission speaks of the object. */
const noRight = /\b[Uu]ser "[^"]*" cannot \w+ resource/

/**
 * What a failed write of one object means. Every status, every failure of the way to the server and everything that is
 * neither has its row: nothing is tried for ever, and nothing that may pass is given up at once (behaviour.md, Q10, X1).
 */
export function classifyError(
  error: unknown,
  resource: GroupResource,
  { name, namespace }: ObjectReference,
): Verdict {
  if (!(error instanceof ApiError)) return classifySilence(error)
  const { code, reason, message } = error
  if (isAbsence(error, resource, name)) return { do: 'forget' }
  if (namespace && isAbsence(error, { group: '', resource: 'namespaces' }, namespace)) {
    // Updates are refused in a namespace that is gone, so this is not yet an absence of the object (behaviour.md, Q8).
    return { do: 'look', reason: 'NamespaceGone' }
  }
  if (error.status.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating')) {
    return { do: 'look', reason: 'NamespaceTerminating' }
  }
  if (deniedByWebhook.test(message) || deniedByPolicy.test(message)) return quarantine('Denied')
  if (tooLarge.test(message)) return quarantine('TooLarge')
  if (noDryRun.test(message)) return quarantine('Unsupported')
  const known = byCode[code]
  if (known) return known(reason, message)
  return code >= 500 ? retry('Unavailable') : quarantine('Unexpected')
}

type ByMessage = (reason: string, message: string) => Verdict

const always =
  (verdict: Verdict): ByMessage =>
  () =>
    verdict

const byCode: Readonly<Record<number, ByMessage>> = {
  400: always(quarantine('Invalid')),
  // A token may be renewed under us; without one nothing can be done at all.
  401: always(retry('Unauthorized', 'abort')),
  403: (_, message) =>
    noRight.test(message) ? { do: 'fall back', reason: 'Forbidden' } : quarantine('Denied'),
  // Not of this object: the resource is not served, by this server at least. It may be the definition that is gone.
  404: always(retry('NotServed', 'abort')),
  405: always({ do: 'fall back', reason: 'Unsupported' }),
  406: always({ do: 'fall back', reason: 'Unsupported' }),
  408: always(retry('Unavailable')),
  409: always({ do: 'read again' }),
  410: always({ do: 'look', reason: 'Unexpected' }),
  413: always(quarantine('TooLarge')),
  415: always({ do: 'fall back', reason: 'Unsupported' }),
  // Rules for spec do not concern those who write status: an old object may be let through there.
  422: always({ do: 'fall back', reason: 'Invalid' }),
  429: always({ do: 'slow down', reason: 'Throttled' }),
  500: (reason, message) => {
    if (webhookFailed.test(message)) return retry('WebhookUnavailable')
    if (conversionFailed.test(message)) return retry('ConversionFailed')
    if (isUndecodable(reason, message)) return quarantine('Undecodable')
    // For long, it is as good as lost; for a moment, when whoever keeps the keys is being started again.
    if (isUnderUnknownKey(message)) return retry('Undecodable')
    return retry('Unavailable')
  },
  502: always(retry('Unavailable')),
  503: always({ do: 'slow down', reason: 'Unavailable' }),
  504: always(retry('Unavailable')),
}

export function isUndecodable(reason: string, message: string): boolean {
  return reason === 'StorageReadError' || undecodable.test(message)
}

export function isUnderUnknownKey(message: string): boolean {
  return underUnknownKey.test(message)
}

/** Without an answer nothing is known about the object; the write is safe to send again. */
function classifySilence(error: unknown): Verdict {
  if (
    error instanceof TransportError ||
    error instanceof DeadlineExceeded ||
    error instanceof MalformedAnswer
  ) {
    return retry('Unavailable')
  }
  // A bug of ours, or the caller's wish to stop.
  throw error
}
