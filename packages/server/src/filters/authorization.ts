import { parseFieldSelector, pathSegment, requiredField, unauthorized } from '@strata/api'
import { type Access, type Authorizer, refusal } from '../authorization/index.ts'
import type { RequestInfo } from '../handlers/index.ts'
import type { Filter } from './filter.ts'

/** Denies by default. */
export function authorization(authorizer: Authorizer): Filter {
  return async (context, next) => {
    const { user, info } = context
    if (!user) throw unauthorized()
    const access = accessOf(info)
    const decision = authorizer.authorize(user, access)
    const { allowed, reason } = decision instanceof Promise ? await decision : decision
    if (context.audit) context.audit.annotations['authorization.k8s.io/reason'] = reason
    if (!allowed) throw refusal(user, access, reason)
    return next(context)
  }
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
