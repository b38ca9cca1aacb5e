import { ApiError, forbidden, unauthorized } from '@strata/api'
import type { User } from '../authentication/index.ts'
import type { RequestInfo } from '../handlers/index.ts'
import type { Filter } from './filter.ts'
import { isPublicPath } from './public-paths.ts'

export const superusers = 'system:masters'

/** Nothing is allowed by default. Until there are roles, the superusers' group may do everything. */
export function authorization(): Filter {
  return async (context, next) => {
    const { user, info } = context
    if (!user) throw unauthorized()
    if (!user.groups.includes(superusers) && !isPublicPath(info)) throw denied(user, info)
    return next(context)
  }
}

function denied({ name }: User, { target, verb, path }: RequestInfo): ApiError {
  if (!target) {
    return new ApiError(
      403,
      'Forbidden',
      `forbidden: User ${JSON.stringify(name)} cannot ${verb} path ${JSON.stringify(path)}`,
      {},
    )
  }
  const { group, resource, subresource, namespace } = target
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return forbidden(
    { group, resource },
    target.name,
    `User ${JSON.stringify(name)} cannot ${verb} resource "${what}" in API group "${group}" ${where}`,
  )
}
