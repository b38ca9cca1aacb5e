import { respondText } from '../handlers/index.ts'
import type { ServedApi } from '../registry/index.ts'
import type { Filter } from './filter.ts'

/**
 * Refuses requests for versions that an APIService assigns to another server, even if a CRD defines them. This server does
 * not proxy to services, so it answers as upstream does when the service is missing.
 */
export function servedElsewhere(api: ServedApi): Filter {
  return async (context, next) => {
    if (api.registered.length === 0) return next(context)
    const [, root, group, versionName] = context.info.path.split('/')
    const isElsewhere =
      root === 'apis' &&
      api.registered.some((each) => each.isRemote && each.group === group && each.versionName === versionName)
    return isElsewhere ? respondText(503, 'service unavailable\n') : next(context)
  }
}
