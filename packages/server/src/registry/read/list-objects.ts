import { ApiError, badRequest, expired } from '@strata/api'
import { whenConverted } from '../../codec/index.ts'
import { type Entry, type Key, type Revision, RevisionCompacted } from '../../store/index.ts'
import { collectionOf, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { decodeContinue, encodeContinue } from './continue-token.ts'
import { type Freshness, reachFreshness } from './freshness.ts'
import { cachedPage, type PageRequest, readyPage, type SelectedPage, storedPage } from './page.ts'
import type { AskedRevision } from './resource-version.ts'
import type { Selection } from './selection.ts'

export interface ListRequest {
  readonly selection: Selection
  /** The revision to show: at least the one asked for, or exactly it. */
  readonly moment: { readonly freshness: Freshness } | { readonly exactly: AskedRevision }
  readonly limit: number | undefined
  /** Continues after another page, at the revision of the first page. */
  readonly continueToken: string | undefined
}

export interface Listed {
  readonly revision: Revision
  readonly entries: readonly Entry[]
  /** Set if there are more objects. */
  readonly continueToken: string | undefined
  /** How many more; known only without selectors. */
  readonly remaining: number | undefined
}

const tooOld = 'The resourceVersion for the provided list is too old.'
const tooOldToContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter'
const inconsistent = `${tooOldToContinue}, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.`

/** Objects in key order at one revision: all pages of a list show the same revision. */
export async function list(
  registry: Registry,
  resource: ServedResource,
  request: ListRequest,
  signal: AbortSignal,
): Promise<Listed> {
  const { selection, limit, continueToken } = request
  const token = continueToken === undefined ? undefined : decodeContinue(selection.prefix, continueToken)
  if (token && !isUnspecified(request)) {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const page: PageRequest = { selection, after: token?.after, limit }
  const exactly = token ? token.revision : 'exactly' in request.moment ? request.moment.exactly : -1
  if (exactly !== -1) {
    await reachFreshness(registry, exactly, signal)
    const revision = Number(exactly)
    const found = await pageAt(registry, resource, revision, page, signal)
    return listed(selection, revision, found)
  }
  const freshness = 'freshness' in request.moment && !token ? request.moment.freshness : 'newest'
  await reachFreshness(registry, freshness, signal)
  const collection = collectionOf(registry, resource)
  // No await from here on: the list shows the cache at exactly this revision.
  const now = (): Listed => listed(selection, registry.cache.barrier.applied, cachedPage(collection, page))
  if (!resource.codec.needsWebhook) return now()
  await readyPage(collection, page)
  return whenConverted(now)
}

function isUnspecified({ moment }: ListRequest): boolean {
  return 'freshness' in moment && (moment.freshness === 'newest' || moment.freshness === 'any')
}

/** From the cache if it certainly shows that revision, else from the store. */
async function pageAt(
  registry: Registry,
  resource: ServedResource,
  revision: Revision,
  page: PageRequest,
  signal: AbortSignal,
): Promise<SelectedPage> {
  const collection = collectionOf(registry, resource)
  const { scope } = page.selection
  const isUnchanged = (): boolean => collection.isUnchangedSince(revision, scope, page.after ?? '')
  if (isUnchanged() && resource.codec.needsWebhook) await readyPage(collection, page)
  if (isUnchanged()) return cachedPage(collection, page)
  try {
    return await storedPage(registry.store, revision, page, signal)
  } catch (error) {
    if (error instanceof RevisionCompacted) throw compacted(page)
    throw error
  }
}

/** The client may start again, or get the next page at the current revision: the error carries a token for that. */
function compacted({ selection, after, limit }: PageRequest): ApiError {
  if (limit === undefined) return expired(tooOld)
  if (after === undefined) return expired(`${tooOldToContinue}.`)
  const { code, reason } = expired('')
  const continueToken = encodeContinue(selection.prefix, { revision: -1, after })
  return new ApiError(code, reason, inconsistent, undefined, continueToken)
}

function listed(selection: Selection, revision: Revision, { entries, remaining }: SelectedPage): Listed {
  const last: Key | undefined = entries.at(-1)?.key
  const more = remaining > 0 && last !== undefined
  return {
    revision,
    entries,
    continueToken: more ? encodeContinue(selection.prefix, { revision, after: last }) : undefined,
    remaining: more && selection.isEverything ? remaining : undefined,
  }
}
