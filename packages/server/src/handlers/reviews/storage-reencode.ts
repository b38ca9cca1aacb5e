import { invalidObject, type StorageReencode, storageReencodes, validateReencode } from '@strata/api'
import { type Authorizer, refusal, resourceAccess } from '../../authorization/index.ts'
import { type ReencodeParts, reencode } from '../../migration/index.ts'
import { otherGroup } from './other-group.ts'
import type { Reviewer } from './review.ts'

/**
 * "Write these objects again." The user must be allowed to patch the resource in all namespaces: the effect is that of
 * empty patches.
 */
export function storageReencode(authorizer: Authorizer, parts: ReencodeParts): Reviewer {
  return async ({ object, user, onlyGroup, signal }) => {
    const { spec } = object as StorageReencode
    const errors = [...validateReencode({ spec }), ...otherGroup(spec, onlyGroup)]
    if (errors.length > 0) throw invalidObject(storageReencodes, '', errors)
    const access = resourceAccess('patch', { group: spec.group ?? '', resource: spec.resource })
    const { allowed, reason } = await authorizer.authorize(user, access)
    if (!allowed) throw refusal(user, access, reason)
    return { ...object, status: await reencode(parts, { spec }, signal) }
  }
}
