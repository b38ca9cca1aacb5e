import { ApiError, forbidden } from '@strata/api'
import type { Access, Requester } from './access.ts'

/** 403, in upstream's words. */
export function refusal({ name }: Requester, { verb, path, target }: Access, reason: string): ApiError {
  const why = reason === '' ? '' : `: ${reason}`
  if (!target) {
    const message = `forbidden: ${plain(`User ${JSON.stringify(name)} cannot ${verb} path ${JSON.stringify(path)}`)}${why}`
    return new ApiError(403, 'Forbidden', message, {})
  }
  const { group, resource, subresource, namespace } = target
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  const text = `User ${JSON.stringify(name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`
  return forbidden({ group, resource }, target.name, `${plain(text)}${why}`)
}

/** The text comes from the request: no browser may render it as HTML. */
function plain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
