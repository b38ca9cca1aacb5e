import { ApiError, type GroupResource, isStatus, type Status } from '@strata/api'
import { DeadlineExceeded, TransportError } from '@strata/world'

/** The server answered, and the client cannot read the answer. The request may have been carried out. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
}

/** The error that a Status from the wire describes. */
export function errorOfStatus({ code, reason = '', message = '', details, metadata }: Status): ApiError {
  return new ApiError(code, reason, message, details, metadata?.continue)
}

/** The error that a failed answer describes. Its body is a Status, or the text of a proxy on the way. */
export function errorOfAnswer(code: number, body: string, retryAfter: string | undefined): ApiError {
  const status = parseStatus(body)
  const { reason = '', message = body.slice(0, 1000).trimEnd(), details, metadata } = status ?? {}
  const seconds = Number(retryAfter)
  const waits = details?.retryAfterSeconds === undefined && retryAfter !== undefined && seconds >= 0
  const more = waits ? { ...details, retryAfterSeconds: seconds } : details
  return new ApiError(code, reason, message, more, metadata?.continue)
}

function parseStatus(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isStatus(value) ? value : undefined
  } catch {
    // Not JSON: an answer of something in front of the server.
    return undefined
  }
}

/*
 * The predicates below are the only place in the client, the controllers and the command line that reads HTTP status codes.
 * Each takes what a request threw, or a raw `HttpResponse`. All of them are false for an error of another kind.
 */

/** 2xx. Only a raw response can have it: a successful request throws nothing. */
export const isSuccess = (answer: unknown): boolean => hasCode(answer, (code) => code >= 200 && code < 300)

/** 400: the server cannot use the request as it was sent. Nothing was done. An unknown continue token is one case. */
export const isBadRequest = (error: unknown): boolean => codeOf(error) === 400

/** 401: the credentials are missing, expired or wrong. Renewed credentials may help. Says nothing about the object. */
export const isUnauthorized = (error: unknown): boolean => codeOf(error) === 401

/** 403: RBAC or admission refused. The object may or may not exist, and nothing was done. */
export const isForbidden = (error: unknown): boolean => codeOf(error) === 403

/**
 * 404: the object, the resource or the path is unknown to the server (or proxy) that answered. It does not prove
 * that the object is absent: use `isAbsence` before anything is removed because of it.
 */
export const isNotFound = (error: unknown): boolean => codeOf(error) === 404

/** The caller cannot see it: absent, not served, or not allowed. Which of them does not follow. */
export const isNotFoundOrForbidden = (error: unknown): boolean => isNotFound(error) || isForbidden(error)

/** 405: the resource exists and does not support this verb. */
export const isMethodNotAllowed = (error: unknown): boolean => codeOf(error) === 405

/** 403, 404 or 405: this server does not offer the request to this caller. Another way to the goal may work. */
export const isNotOffered = (error: unknown): boolean =>
  isNotFoundOrForbidden(error) || isMethodNotAllowed(error)

/** 406 or 415: the server does not support the format that was sent or asked for. Another format may work. */
export const isFormatUnsupported = (error: unknown): boolean =>
  hasCode(error, (code) => code === 406 || code === 415)

/** 409: another client changed, created or removed the object since it was read. Nothing was done: read it again. */
export const isConflict = (error: unknown): boolean => codeOf(error) === 409

/** 410: the requested revision is gone. For a list or watch, `isExpired` also covers a Status without the code. */
export const isGone = (error: unknown): boolean => codeOf(error) === 410

/** History from the requested revision is gone: list again. Says nothing about the objects. */
export const isExpired = (error: unknown): boolean =>
  isGone(error) || (error instanceof ApiError && error.reason === 'Expired')

/** 413: the request or the answer is too large. A smaller page or object may work. */
export const isTooLarge = (error: unknown): boolean => codeOf(error) === 413

/** 422: validation refused the object. Only another object, or other rules, will pass. */
export const isInvalid = (error: unknown): boolean => codeOf(error) === 422

/** 429: the server is busy, or an eviction must wait. Nothing was done: repeat after `retryAfterMs`. */
export const isTooManyRequests = (error: unknown): boolean => codeOf(error) === 429

/** 500: the server failed. The request may have been carried out. The next try may succeed, or fail for ever. */
export const isInternalError = (error: unknown): boolean => codeOf(error) === 500

/** 503: this server cannot serve now. Another one may. */
export const isUnavailable = (error: unknown): boolean => codeOf(error) === 503

/** 5xx: the server, or a proxy before it, failed. The request may have been carried out. */
export const isServerError = (error: unknown): boolean => hasCode(error, (code) => code >= 500)

/** 408, 504 or our own deadline: no result in time. It may still be carried out; the same request may take as long again. */
export const isTimeout = (error: unknown): boolean =>
  hasCode(error, (code) => code === 408 || code === 504) || error instanceof DeadlineExceeded

/** There is no readable answer: the connection failed, the time ran out, or the answer is not what was asked for. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TransportError || error instanceof DeadlineExceeded || error instanceof MalformedAnswer

/** A server or the way to it failed the request. Everything else that is thrown is a bug, or the caller's wish to stop. */
export const isRequestFailure = (error: unknown): boolean => error instanceof ApiError || isUnanswered(error)

/**
 * The same request may succeed later without any change: 429, 5xx, a timeout, or no connection. A write may have been
 * carried out all the same (`mayHaveActed`). A conflict is not transient: the object has to be read first.
 */
export const isTransient = (error: unknown): boolean =>
  isTimeout(error) || isTooManyRequests(error) || isServerError(error) || error instanceof TransportError

/** The server answered no. Nothing was done, and the same request will be refused again until something else changes. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && !isTransient(error) && !isConflict(error)

/**
 * A failed write may have been carried out. True after 5xx, a timeout or a lost answer, and for every unknown error.
 * False only if the server answered 4xx (408 apart), or if the request certainly did not reach it.
 */
export const mayHaveActed = (error: unknown): boolean => {
  if (error instanceof ApiError) return isServerError(error) || isTimeout(error)
  return !(error instanceof TransportError && error.reached === 'no')
}

/**
 * The server said that this very object does not exist. A plain 404 also comes from a proxy that does not know the path,
 * or from a server that does not serve the resource. If that counted as absence, live servers would be removed from
 * agreement records.
 */
export function isAbsence(error: unknown, { group, resource }: GroupResource, name: string): boolean {
  if (!(error instanceof ApiError) || !isNotFound(error) || error.reason !== 'NotFound') return false
  const { details } = error.status
  return details?.name === name && details.kind === resource && (details.group ?? '') === group
}

function codeOf(failure: unknown): number | undefined {
  if (failure instanceof ApiError) return failure.code
  if (failure instanceof Error || typeof failure !== 'object' || failure === null) return undefined
  return 'status' in failure && typeof failure.status === 'number' ? failure.status : undefined
}

function hasCode(failure: unknown, matches: (code: number) => boolean): boolean {
  const code = codeOf(failure)
  return code !== undefined && matches(code)
}

/** The token that continues an expired list with the objects as they are now, if the server sent one. */
export function continueTokenOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.status.metadata.continue : undefined
}

/** How long the server asked the client to wait; 0 if it did not. */
export function retryAfterMs(error: unknown): number {
  return error instanceof ApiError ? 1000 * (error.status.details?.retryAfterSeconds ?? 0) : 0
}
