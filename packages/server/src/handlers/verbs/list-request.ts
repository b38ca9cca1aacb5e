import { badRequest, type FieldSelector } from '@strata/api'
import {
  createSelection,
  type Freshness,
  type ListRequest,
  type Selection,
  type ServedResource,
  type WatchRequest,
} from '../../registry/index.ts'
import { revisionOf, unexpected } from '../query.ts'
import type { ResourceTarget } from '../request-context.ts'
import type { ListOptions } from './list-options.ts'

/** The objects that the path and the selectors select. */
export function selectionOf(
  resource: ServedResource,
  { namespace, name }: ResourceTarget,
  { selectors }: ListOptions,
): Selection {
  // The deprecated way to watch one object has its name in the path.
  const named: FieldSelector = name === '' ? [] : [{ field: 'metadata.name', equal: true, value: name }]
  // The namespace of a request for a namespace is that namespace, but a Namespace object is in none.
  const within = resource.definition.scope === 'Cluster' ? '' : namespace
  return createSelection(resource, within, { ...selectors, fields: [...named, ...selectors.fields] })
}

const invalidVersion = (problem: string) => badRequest(`invalid resource version: ${problem}`)

/** The table in docs/reference/wire-compatibility.md, 5.1. */
export function listRequest(options: ListOptions, selection: Selection): ListRequest {
  const { resourceVersion: text, resourceVersionMatch, limit, continueToken } = options
  const request = { selection, limit, continueToken }
  if (text === '') return { ...request, moment: { freshness: 'newest' } }
  if (text === '0') {
    // As upstream's cache: a list that accepts any state is not paged.
    const all = continueToken === undefined ? undefined : limit
    return { ...request, limit: all, moment: { freshness: 'any' } }
  }
  const revision = revisionOf(text, invalidVersion)
  const exactly = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit !== undefined)
  return { ...request, moment: exactly ? { exactly: revision } : { freshness: revision } }
}

/** Where a watch begins. Without a revision it begins with the current objects, as added events. */
export function watchBeginning(options: ListOptions): WatchRequest['begin'] {
  const { resourceVersion: text, sendInitialEvents } = options
  const unspecified = text === '' || text === '0'
  const freshness = freshnessOf(text)
  if (sendInitialEvents ?? unspecified) return { stateAt: freshness }
  // A bigint is a revision that no store reaches. No event follows it, so it may be rounded.
  return { after: typeof freshness === 'bigint' ? Number(freshness) : freshness }
}

export function freshnessOf(text: string): Freshness {
  if (text === '') return 'newest'
  return text === '0' ? 'any' : revisionOf(text, unexpected)
}
