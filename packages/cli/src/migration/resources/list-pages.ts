import type { ApiList, ApiObject } from '@strata/api'
import { continueTokenOf, isExpired, type PageOptions } from '@strata/client'

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
