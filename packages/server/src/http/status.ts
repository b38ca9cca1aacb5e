import { ApiError, outcomeUnknown, serviceUnavailable, timeout } from '@strata/api'
import { DeadlineExceeded, type HttpResponse } from '@strata/world'
import { MalformedJson, UndecodableObject } from '../codec/index.ts'
import { respondJson, respondText } from '../handlers/index.ts'
import { OutcomeUnknown, RevisionCompacted, RevisionInFuture, StoreUnavailable } from '../store/index.ts'

/**
 * The table from errors to answers. Commits of objects convert OutcomeUnknown earlier: `send` in registry/write/write-object.ts.
 * An error that is not in the table is a bug: 500, with its text in the log and not in the answer.
 */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof OutcomeUnknown) return outcomeUnknown(error.message)
  if (error instanceof StoreUnavailable) {
    return serviceUnavailable(`the store cannot answer, nothing was written: ${error.message}`, 1)
  }
  if (error instanceof RevisionCompacted) return new ApiError(410, 'Expired', error.message)
  if (error instanceof RevisionInFuture) return timeout(error.message, 1)
  if (error instanceof DeadlineExceeded)
    return timeout('request did not complete within the allotted timeout')
  if (error instanceof UndecodableObject) return new ApiError(500, 'StorageReadError', error.message)
  if (error instanceof MalformedJson) {
    return new ApiError(500, 'StorageReadError', `stored bytes are not JSON: ${error.message}`)
  }
  return undefined
}

export function respondError(error: ApiError): HttpResponse {
  const response = respondJson(error.code, error.status)
  const { retryAfterSeconds } = error.status.details ?? {}
  if (retryAfterSeconds === undefined && error.code !== 403) return response
  const headers = {
    ...response.headers,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    // The message quotes the path, which a browser must not render as a page.
    ...(error.code === 403 ? { 'x-content-type-options': 'nosniff' } : {}),
  }
  return { ...response, headers }
}

/** Upstream's text, which operators know. */
export function respondBug(): HttpResponse {
  return respondText(500, 'This request caused apiserver to panic. Look in the logs for details.\n')
}
