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

/** Which objects are meant: by the path, and by the selectors. */
export function selectionOf(
  resource: ServedResource,
  { namespace, name }: ResourceTarget,
  { selectors }: ListOptions,
): Selection {
  // The old way to watch one object has its name in the path.
  const named: FieldSelector = name === '' ? [] : [{ field: 'metadata.name', equal: true, value: name }]
  // For a namespace itself, the namespace of the request is that namespace; its objects are in none.
  const within = resource.definition.scope === 'Cluster' ? '' : namespace
  return createSelection(resource, within, { ...selectors, fields: [...named, ...selectors.fields] })
}

const invalidVersion = (problem: string) => badRequest(`invalid resource version: ${problem}`)

/** The table of compat.md, 5.1. */
export function listRequest(options: ListOptions, selection: Selection): ListRequest {
  const { resourceVersion: text, resourceVersionMatch, limit, continueToken } = options
  const request = { selection, limit, continueToken }
  if (text === '') return { ...request, moment: { freshness: 'newest' } }
  if (text === '0') {
    // As upstream's cache: whoever takes any state takes all of it.
    const all = continueToken === undefined ? undefined : limit
    return { ...request, limit: all, moment: { freshness: 'any' } }
  }
  const revision = revisionOf(text, invalidVersion)
  const exactly = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit !== undefined)
  return { ...request, moment: exactly ? { exactly: revision } : { freshness: revision } }
}

/** Where a watch begins. Without a revision it begins with the state, as if every object had just been added. */
export function watchBeginning(options: ListOptions): WatchRequest['begin'] {
  const { resourceVersion: text, sendInitialEvents } = options
  const unspecified = text === '' || text === '0'
  const freshness = freshnessOf(text)
  if (sendInitialEvents ?? unspecified) return { stateAt: freshness }
  // Nothing comes after a revision that no store reaches, exact or rounded.
  return { after: typeof freshness === 'bigint' ? Number(freshness) : freshness }
}

export function freshnessOf(text: string): Freshness {
  if (text === '') return 'newest'
  return text === '0' ? 'any' : revisionOf(text, unexpected)
}
