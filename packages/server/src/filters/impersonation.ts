import { badRequest, goLiteral, unauthorized } from '@strata/api'
import type { User } from '../authentication/index.ts'
import { type Authorizer, impersonate } from '../authorization/index.ts'
import type { ServerRequest } from '../handlers/index.ts'
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

function wantedUser(request: Pick<ServerRequest, 'headers' | 'rawHeaders'>): User | undefined {
  let found = false
  for (const header in request.headers) if (header.startsWith(prefix)) found = true
  if (!found) return undefined
  const lines = linesOf(request)
  const [name = ''] = lines.get('impersonate-user') ?? []
  const groups = lines.get('impersonate-group') ?? []
  const [uid = ''] = lines.get('impersonate-uid') ?? []
  const extra = extraOf(lines)
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

type Lines = ReadonlyMap<string, readonly string[]>

/** Each header line is one value, with its commas: `CN=dev,OU=x` is one group. */
function linesOf({ headers, rawHeaders }: Pick<ServerRequest, 'headers' | 'rawHeaders'>): Lines {
  const lines = new Map<string, string[]>()
  const add = (header: string, values: readonly string[]): void => {
    if (!header.startsWith(prefix)) return
    const before = lines.get(header)
    if (before) before.push(...values)
    else lines.set(header, [...values])
  }
  if (rawHeaders) {
    for (let index = 0; index < rawHeaders.length; index += 2) {
      add((rawHeaders[index] ?? '').toLowerCase(), [rawHeaders[index + 1] ?? ''])
    }
  } else {
    for (const [header, value] of Object.entries(headers)) add(header, [value ?? []].flat())
  }
  return lines
}

function extraOf(lines: Lines): Readonly<Record<string, readonly string[]>> {
  // Without a prototype: a key may be `__proto__`.
  const extra: Record<string, readonly string[]> = Object.create(null)
  for (const [header, values] of lines) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescapeKey(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), ...values]
  }
  return extra
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    // As upstream: a badly escaped key is used as it is.
    return key
  }
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
