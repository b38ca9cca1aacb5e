import type { ApiList, ApiObject } from '@strata/api'
import { continueTokenOf, isExpired, type PageOptions } from '@strata/client'
import type { CliContext } from '../../context.ts'
import { isTransientForPage, type LookOptions, patienceMs, withRetries } from '../run/read-with-retries.ts'

/** For one page, as long as kube-apiserver allows. */
const pageMs = 60_000

/** All objects, page by page. A page that fails is asked for again, and no page before it. */
export function pagesWithRetries(
  context: Pick<CliContext, 'world' | 'signal'>,
  listPage: (page: PageOptions, signal: AbortSignal) => Promise<ApiList>,
  limit: number,
  given: Partial<LookOptions> = {},
): AsyncGenerator<readonly ApiObject[], void> {
  return listPages((page) => {
    const isWorthIt = isTransientForPage(context.world.clock)
    const looking = { limitMs: pageMs, patienceMs, isWorthIt, onWait: () => {}, ...given }
    return withRetries(context, (signal) => listPage(page, signal), looking)
  }, limit)
}

/** All objects, page by page. A list that expires goes on with the objects as they are now. */
export async function* listPages(
  listPage: (page: PageOptions) => Promise<ApiList>,
  limit: number,
): AsyncGenerator<readonly ApiObject[], void> {
  let next: string | undefined
  do {
    let page: ApiList
    try {
      page = await listPage({ limit, ...(next === undefined ? {} : { continueToken: next }) })
    } catch (error) {
      const token = isExpired(error) ? continueTokenOf(error) : undefined
      if (token === undefined) throw error
      next = token
      continue
    }
    yield page.items
    next = page.metadata.continue
  } while (next !== undefined && next !== '')
}
