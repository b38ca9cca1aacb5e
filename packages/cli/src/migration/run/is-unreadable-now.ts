import { ApiError } from '@strata/api'
import { isUndecodable, isUnderUnknownKey } from '@strata/controllers'

/**
 * The server that answered cannot read what is stored. It may pass: so does a server answer whose KMS plugin is away, or that
 * does not have the key yet.
 */
export const isUnreadableNow = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (isUndecodable(error.reason, error.message) || isUnderUnknownKey(error.message))
