import { invalidObject, type StorageCensus, storageCensuses, validateCensus } from '@strata/api'
import { type Authorizer, refusal, resourceAccess } from '../../authorization/index.ts'
import { type CensusParts, takeCensus } from '../../migration/index.ts'
import { otherGroup } from './other-group.ts'
import type { Reviewer } from './review.ts'

/**
 * "What is stored?" The user must be allowed to list the resource in all namespaces: the answer counts all objects, and
 * names some of them.
 */
export function storageCensus(authorizer: Authorizer, parts: CensusParts): Reviewer {
  return async ({ object, user, onlyGroup, signal }) => {
    const { spec } = object as StorageCensus
    const errors = [...validateCensus({ spec }), ...otherGroup(spec, onlyGroup)]
    if (errors.length > 0) throw invalidObject(storageCensuses, '', errors)
    const asked = { group: spec.group ?? '', resource: spec.resource }
    const access = resourceAccess('list', asked)
    const { allowed, reason } = await authorizer.authorize(user, access)
    if (!allowed) throw refusal(user, access, reason)
    const status = await takeCensus(parts, { ...asked, maxObjects: spec.maxObjects ?? 0 }, signal)
    return { ...object, status }
  }
}
