import { type GroupResource, serviceUnavailable } from '@strata/api'
import type { Filter } from './filter.ts'

/** Answers reads and writes of a resource that this release cannot decode with 503 and the reason. */
export function refuseUndecodable(storage: {
  refusalOf(resource: GroupResource): string | undefined
}): Filter {
  return async (context, next) => {
    const { resource } = context
    const why = resource && storage.refusalOf(resource.definition)
    if (why !== undefined) throw serviceUnavailable(why)
    return next(context)
  }
}
