import { ApiError, internalError, outcomeUnknown, serviceUnavailable, timeout } from '@strata/api'
import { DeadlineExceeded, type HttpResponse } from '@strata/world'
import { MalformedJson, UndecodableObject } from '../codec/index.ts'
import { respondJson } from '../handlers/index.ts'
import { OutcomeUnknown, RevisionCompacted, RevisionInFuture, StoreUnavailable } from '../store/index.ts'

/**
 * The one table from errors to answers. What is not in it is a bug of ours: 500, with its text in the log
 * and not in the answer.
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
  if (error instanceof UndecodableObject) return new ApiError(500, 'StoreReadError', error.message)
  if (error instanceof MalformedJson) {
    return new ApiError(500, 'StoreReadError', `stored bytes are not JSON: ${error.message}`)
  }
  return undefined
}

export function respondError(error: ApiError): HttpResponse {
  const response = respondJson(error.code, error.status)
  const { retryAfterSeconds } = error.status.details ?? {}
  if (retryAfterSeconds === undefined) return response
  return { ...response, headers: { ...response.headers, 'retry-after': String(retryAfterSeconds) } }
}

export function respondBug(): HttpResponse {
  return respondError(internalError('see the log of the server, under the Audit-Id of this answer'))
}
