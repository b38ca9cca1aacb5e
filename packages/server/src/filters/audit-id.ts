import { uuid, type World } from '@strata/world'
import type { Filter } from './filter.ts'

/** Every answer can be found again: the client's own id, or a fresh one. */
export function auditId({ random }: World): Filter {
  return async (context, next) => {
    const given = context.request.headers['audit-id']
    const id = typeof given === 'string' && given !== '' ? given.slice(0, 64) : uuid(random)
    const response = await next({ ...context, auditId: id })
    return {
      ...response,
      // No proxy in between may keep what one user was shown, unless the handler says that all may see it.
      headers: { 'cache-control': 'no-cache, private', ...response.headers, 'audit-id': id },
    }
  }
}
