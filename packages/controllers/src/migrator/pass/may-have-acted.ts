import { ApiError } from '@strata/api'
import { TransportError } from '@strata/world'

/**
 * Whether a write that failed may have been carried out. A server that refuses has not written. One that fails may have,
 * before it failed or before somebody in between lost its answer, and so may one of which nothing was heard.
 */
export function mayHaveActed(error: unknown): boolean {
  if (error instanceof ApiError) return error.code >= 500 || error.code === 408
  return !(error instanceof TransportError && error.reached === 'no')
}
