import { ApiError } from '@strata/api'
import { isUndecodable, isUnderUnknownKey } from '@strata/controllers'

/** A server cannot read what is stored. It answers an internal error, and does so for each request. */
export const isAboutBytes = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (isUndecodable(error.reason, error.message) || isUnderUnknownKey(error.message))
