import { parseFieldSelector, pathSegment, requiredField, unauthorized } from '@strata/api'
import type { HttpResponse } from '@strata/world'
import { type Access, AccessUndecided, type Authorizer, refusal } from '../authorization/index.ts'
import { type RequestInfo, respondText } from '../handlers/index.ts'
import type { Filter } from './filter.ts'

/** Denies by default. */
export function authorization(authorizer: Authorizer): Filter {
  return async (context, next) => {
    const { user, info } = context
    if (!user) throw unauthorized()
    const access = accessOf(info)
    const decision = authorizer.authorize(user, access)
    const known = decision instanceof Promise ? await decision.catch(asUndecided) : decision
    if (known instanceof AccessUndecided) {
      if (context.audit) context.audit.annotations['authorization.k8s.io/reason'] = 'internal error'
      return respondUndecided(context.request.target, known)
    }
    const { allowed, reason } = known
    if (context.audit) context.audit.annotations['authorization.k8s.io/reason'] = reason
    if (!allowed) throw refusal(user, access, reason)
    return next(context)
  }
}

function asUndecided(error: unknown): AccessUndecided {
  if (error instanceof AccessUndecided) return error
  throw error
}

/** As upstream: plain text, in which no browser sees markup. */
function respondUndecided(target: string, { why }: AccessUndecided): HttpResponse {
  const text = `Internal Server Error: ${JSON.stringify(target)}: ${why}`
  const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const { headers, ...answer } = respondText(500, `${plain}\n`)
  return { ...answer, headers: { ...headers, 'x-content-type-options': 'nosniff' } }
}

/** A list or watch of one object by `metadata.name` needs only the right to that object. */
export function accessOf(info: RequestInfo): Access {
  const { target, verb, query } = info
  if (target?.name !== '' || (verb !== 'list' && verb !== 'watch')) return info
  const selector = query.get('fieldSelector')
  if (!selector) return info
  const name = selectedName(selector)
  return name === undefined ? info : { ...info, target: { ...target, name } }
}

function selectedName(selector: string): string | undefined {
  try {
    const name = requiredField(parseFieldSelector(selector), 'metadata.name')
    return name && pathSegment(name).length === 0 ? name : undefined
  } catch {
    // The list handler refuses a malformed selector. Here it selects no single object.
    return undefined
  }
}
