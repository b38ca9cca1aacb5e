import type { HttpResponse } from '@strata/world'
import type { Handler, RequestContext } from '../handlers/index.ts'

/** One step before the handler. It may answer, refuse by throwing, or pass the request on. */
export type Filter = (context: RequestContext, next: Handler) => Promise<HttpResponse>

/** Puts filters in front of a handler, in the order of the list. */
export function chain(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>((next, filter) => (context) => filter(context, next), handler)
}
