import { ApiError } from '@strata/api'
import type { Filter } from './filter.ts'

/**
 * Refuses what a browser sends for a page of another site. A browser with a client certificate presents it with every request to
 * this server, whichever page sends it. Otherwise: any page creates objects as the user, by a POST without a content type, which a
 * browser sends without asking the server first. The user may follow a link here.
 *
 * Pages cannot change `Sec-Fetch-*`, and cannot add a credential or `X-Forwarded-For` without asking first. With a credential, the
 * certificate does not count; behind a proxy it is that of the proxy, which knows its own pages.
 */
export const refuseOtherPages: Filter = (context, next) => {
  const { method, headers } = context.request
  const isElsewhere = ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))
  const isLink = headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD')
  const isDirect = headers['authorization'] === undefined && headers['x-forwarded-for'] === undefined
  if (isElsewhere && isDirect && !isLink)
    throw new ApiError(403, 'Forbidden', 'the browser sends this for a page of another site, which may not')
  return next(context)
}
