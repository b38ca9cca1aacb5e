import { ApiError } from '@strata/api'
import { MalformedAnswer } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'

/** A failing server, or a way to it; not a bug of ours. */
export function isOfTheWorld(error: unknown): boolean {
  return [ApiError, TransportError, DeadlineExceeded, MalformedAnswer].some((kind) => error instanceof kind)
}
