import { uuid, type World } from '@strata/world'
import type { Filter } from './filter.ts'

/** Adds an ID to every answer: the client's own, or a new one. */
export function auditId({ random }: World): Filter {
  return async (context, next) => {
    const given = context.request.headers['audit-id']
    const id = typeof given === 'string' && given !== '' ? given.slice(0, 64) : uuid(random)
    const response = await next({ ...context, auditId: id })
    return {
      ...response,
      // A proxy must not cache an answer for one user, unless the handler says that all users may see it.
      headers: { 'cache-control': 'no-cache, private', ...response.headers, 'audit-id': id },
    }
  }
}
