import { badRequest, goLiteral, unauthorized } from '@strata/api'
import type { HttpHeaders } from '@strata/world'
import type { User } from '../authentication/index.ts'
import { type Authorizer, impersonate } from '../authorization/index.ts'
import { accessOf } from './authorization.ts'
import type { Filter } from './filter.ts'

const prefix = 'impersonate-'
const extraPrefix = 'impersonate-extra-'

/**
 * Acting as somebody else. Were these headers ignored, an administrator who asks "may eve do this?" would do it
 * himself.
 */
export function impersonation(authorizer: Authorizer): Filter {
  return async (context, next) => {
    const wanted = wantedUser(context.request.headers)
    if (!wanted) return next(context)
    const { user, info } = context
    if (!user) throw unauthorized()
    const seen = impersonate(authorizer, user, wanted, accessOf(info))
    if ('refused' in seen) throw seen.refused
    return next({ ...context, user: seen.user })
  }
}

function wantedUser(headers: HttpHeaders): User | undefined {
  let found = false
  for (const header in headers) if (header.startsWith(prefix)) found = true
  if (!found) return undefined
  const name = textOf(headers['impersonate-user'])
  const groups = listOf(headers['impersonate-group'])
  const uid = textOf(headers['impersonate-uid'])
  const extra = extraOf(headers)
  const user: User = {
    name,
    groups,
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
  if (name !== '') return user
  if (groups.length > 0 || uid !== '' || user.extra) throw withoutName(user)
  return undefined
}

function extraOf(headers: HttpHeaders): Readonly<Record<string, readonly string[]>> {
  // Without a prototype: a key may be `__proto__`.
  const extra: Record<string, readonly string[]> = Object.create(null)
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescapeKey(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), ...listOf(value)]
  }
  return extra
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    // As upstream: what is not escaped properly is taken as it is.
    return key
  }
}

/** In Go's notation, which is what clients of upstream have seen. */
function withoutName({ groups, uid = '', extra }: User): Error {
  const entries = Object.entries(extra ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const shown = entries.map(([key, values]) => `${JSON.stringify(key)}:${goLiteral(values)}`)
  const map = entries.length === 0 ? '(nil)' : `{${shown.join(', ')}}`
  return badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goLiteral(groups)}, Extra:map[string][]string${map}} without impersonating a user name`,
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
