import { unauthorized } from '@strata/api'
import { type Authenticator, anonymous } from '../authentication/index.ts'
import type { Filter } from './filter.ts'

/** Finds the user of a request. It waits only if the user is not known at once. */
export function authentication(authenticator: Authenticator): Filter {
  return async (context, next) => {
    const found = authenticator.identify(context.request, context.signal)
    const user = found instanceof Promise ? await found : found
    if (!user || user === anonymous) context.request.onUnauthenticated?.()
    else context.request.onAuthenticated?.()
    if (!user) throw unauthorized()
    // Whether they were believed or not: nothing behind may believe them once more.
    return next({ ...context, user, request: authenticator.strip(context.request) })
  }
}
