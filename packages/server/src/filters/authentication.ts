import { unauthorized } from '@strata/api'
import type { ServerRequest, User } from '../handlers/index.ts'
import type { Filter } from './filter.ts'

/** Who a bearer token belongs to, or undefined. */
export type TokenLookup = (token: string) => User | undefined

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
const everybody = 'system:authenticated'

/**
 * Who is asking: by certificate, by token, or nobody in particular. A credential that is given must be right, also
 * where none is needed: whoever sends a wrong one means to be somebody.
 */
export function authentication(lookup: TokenLookup): Filter {
  return async (context, next) => {
    const user = identify(context.request, lookup)
    if (!user) throw unauthorized()
    return next({ ...context, user })
  }
}

function identify({ peer, headers }: ServerRequest, lookup: TokenLookup): User | undefined {
  if (peer?.isTrusted && peer.commonName !== '') {
    return asAuthenticated({ name: peer.commonName, groups: peer.organizations })
  }
  const header = headers['authorization']
  const token = typeof header === 'string' ? /^bearer +(\S.*)$/i.exec(header)?.[1]?.trim() : undefined
  // Another scheme than Bearer is not ours to judge.
  if (token === undefined) return peer ? undefined : anonymous
  const user = lookup(token)
  return user && asAuthenticated(user)
}

/** Everybody who is known is in one more group. */
export function asAuthenticated(user: User): User {
  return user.groups.includes(everybody) ? user : { ...user, groups: [...user.groups, everybody] }
}
