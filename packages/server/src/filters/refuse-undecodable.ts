import { type GroupResource, serviceUnavailable } from '@strata/api'
import type { Filter } from './filter.ts'

/** Whatever is asked of a resource that this release cannot read is answered with the reason, reads and writes alike. */
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
