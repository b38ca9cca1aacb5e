import { unauthorized } from '@strata/api'
import type { User } from '../handlers/index.ts'
import type { Filter } from './filter.ts'
import { isPublicPath } from './public-paths.ts'

/** Who a bearer token belongs to, or undefined. */
export type TokenLookup = (token: string) => User | undefined

/** A token that is given must be right, also where none is needed. */
export function authentication(lookup: TokenLookup): Filter {
  return async (context, next) => {
    const header = context.request.headers['authorization']
    if (typeof header !== 'string') {
      if (isPublicPath(context.info)) return next(context)
      throw unauthorized()
    }
    const token = /^bearer (.+)$/i.exec(header)?.[1]
    const user = token === undefined ? undefined : lookup(token.trim())
    if (!user) throw unauthorized()
    return next({ ...context, user: { ...user, groups: [...user.groups, 'system:authenticated'] } })
  }
}
