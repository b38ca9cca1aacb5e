import { unauthorized } from '@strata/api'
import { type Authenticator, anonymous } from '../authentication/index.ts'
import type { Filter } from './filter.ts'

/** Who is asking. Nobody waits here for what is known already. */
export function authentication(authenticator: Authenticator): Filter {
  return async (context, next) => {
    const found = authenticator.identify(context.request, context.signal)
    const user = found instanceof Promise ? await found : found
    if (!user || user === anonymous) context.request.onUnauthenticated?.()
    else context.request.onAuthenticated?.()
    if (!user) throw unauthorized()
    return next({ ...context, user })
  }
}
