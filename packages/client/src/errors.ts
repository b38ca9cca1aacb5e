import { ApiError, type GroupResource, isStatus, type Status } from '@strata/api'

/** The server answered, and we cannot read what it said. Nothing follows from it. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
}

/** A Status from the wire as the error it speaks of. */
export function errorOfStatus({ code, reason = '', message = '', details, metadata }: Status): ApiError {
  return new ApiError(code, reason, message, details, metadata?.continue)
}

/** A failed answer as an error, whether its body is a Status or the words of some proxy on the way. */
export function errorOfAnswer(code: number, body: string, retryAfter: string | undefined): ApiError {
  const status = parseStatus(body)
  const { reason = '', message = body.slice(0, 1000), details, metadata } = status ?? {}
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

/**
 * True only if the server said that this very object does not exist. A 404 also comes from a proxy that knows
 * no such path, or from a server that does not serve the resource; whoever takes that for an absence expels
 * live servers (agreement.md, rule 8).
 */
export function isAbsence(error: unknown, { group, resource }: GroupResource, name: string): boolean {
  if (!(error instanceof ApiError) || error.code !== 404 || error.reason !== 'NotFound') return false
  const { details } = error.status
  return details?.name === name && details.kind === resource && (details.group ?? '') === group
}

/** Someone else changed, made or removed the object since we looked. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409
}

/** History from the revision we asked for is gone: list again. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired')
}

/** Of a list that cannot be gone on with as it was: where to go on with what there is now, if the server says so. */
export function continueTokenOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.status.metadata.continue : undefined
}

/** How long the server asked us to wait. */
export function retryAfterMs(error: unknown): number {
  return error instanceof ApiError ? 1000 * (error.status.details?.retryAfterSeconds ?? 0) : 0
}
