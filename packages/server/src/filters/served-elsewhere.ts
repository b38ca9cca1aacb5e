import { respondText } from '../handlers/index.ts'
import type { ServedApi } from '../registry/index.ts'
import type { Filter } from './filter.ts'

/**
 * What an APIService says that another server has is asked for there, and not here, even if there is a definition of it.
 * No service runs beside this server, so that nobody can be asked: as upstream answers when the service is missing.
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
