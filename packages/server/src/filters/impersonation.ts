import { badRequest, goLiteral, unauthorized } from '@strata/api'
import { extraOf, type HeaderSource, headerLines, type User } from '../authentication/index.ts'
import { type Authorizer, impersonate } from '../authorization/index.ts'
import { accessOf } from './authorization.ts'
import type { Filter } from './filter.ts'

const prefix = 'impersonate-'
const extraPrefix = 'impersonate-extra-'

/**
 * Impersonation. If these headers were ignored, an administrator who tests the rights of another user would act with their
 * own.
 */
export function impersonation(authorizer: Authorizer): Filter {
  return async (context, next) => {
    const wanted = wantedUser(context.request)
    if (!wanted) return next(context)
    const { user, info } = context
    if (!user) throw unauthorized()
    const seen = await impersonate(authorizer, user, wanted, accessOf(info))
    if ('refused' in seen) throw seen.refused
    return next({ ...context, user: seen.user })
  }
}

function wantedUser(request: HeaderSource): User | undefined {
  let found = false
  for (const header in request.headers) if (header.startsWith(prefix)) found = true
  if (!found) return undefined
  const lines = headerLines(request, (name) => name.startsWith(prefix))
  const [name = ''] = lines.get('impersonate-user') ?? []
  const groups = lines.get('impersonate-group') ?? []
  const [uid = ''] = lines.get('impersonate-uid') ?? []
  const extra = extraOf(lines, [extraPrefix])
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

/** In Go's notation, as upstream's clients know it. */
function withoutName({ groups, uid = '', extra }: User): Error {
  const entries = Object.entries(extra ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const shown = entries.map(([key, values]) => `${JSON.stringify(key)}:${goLiteral(values)}`)
  const map = entries.length === 0 ? '(nil)' : `{${shown.join(', ')}}`
  return badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goLiteral(groups)}, Extra:map[string][]string${map}} without impersonating a user name`,
  )
}
