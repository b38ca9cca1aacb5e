import { badRequest, forbidden } from '@strata/api'
import type { HttpHeaders } from '@strata/world'
import type { User } from '../authentication/index.ts'
import { superusers } from './authorization.ts'
import type { Filter } from './filter.ts'

const anonymous = 'system:anonymous'
const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/

/**
 * Acting as somebody else. Were these headers ignored, an administrator who asks "may eve do this?" would do it
 * himself. Until there are roles, only the superusers may.
 */
export function impersonation(): Filter {
  return async (context, next) => {
    const wanted = wantedUser(context.request.headers)
    if (!wanted) return next(context)
    const { user } = context
    if (!user?.groups.includes(superusers)) {
      throw forbidden(
        { group: '', resource: 'users' },
        wanted.name,
        `User ${JSON.stringify(user?.name ?? anonymous)} cannot impersonate resource "users" in API group "" at the cluster scope`,
      )
    }
    return next({ ...context, user: wanted })
  }
}

function wantedUser(headers: HttpHeaders): User | undefined {
  const name = textOf(headers['impersonate-user'])
  const groups = listOf(headers['impersonate-group'])
  const uid = textOf(headers['impersonate-uid'])
  const hasExtra = Object.keys(headers).some((header) => header.startsWith('impersonate-extra-'))
  if (name !== '') return { name, groups: groupsOf(name, groups), ...(uid === '' ? {} : { uid }) }
  if (groups.length > 0 || uid !== '' || hasExtra) throw withoutName(groups, uid)
  return undefined
}

function groupsOf(name: string, given: readonly string[]): readonly string[] {
  if (name === anonymous) return given.length > 0 ? given : ['system:unauthenticated']
  const [, namespace] = serviceAccount.exec(name) ?? []
  const groups =
    given.length === 0 && namespace !== undefined
      ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
      : [...given]
  const known = ['system:authenticated', 'system:unauthenticated']
  return groups.some((group) => known.includes(group)) ? groups : [...groups, 'system:authenticated']
}

/** In Go's notation, which is what clients of upstream have seen. */
function withoutName(groups: readonly string[], uid: string): Error {
  const list = groups.length === 0 ? '(nil)' : `{${groups.map((each) => JSON.stringify(each)).join(', ')}}`
  return badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:[]string${list}, Extra:map[string][]string(nil)} without impersonating a user name`,
  )
}

const textOf = (value: HttpHeaders[string] | undefined): string =>
  typeof value === 'string' ? value : (value?.[0] ?? '')

/** A header that is sent several times reaches us joined by commas. */
const listOf = (value: HttpHeaders[string] | undefined): readonly string[] =>
  value === undefined
    ? []
    : String(value)
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '')
