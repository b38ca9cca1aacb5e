import { ApiError } from '@strata/api'
import { utf8 } from '@strata/world'
import { readApiPath } from './api-path.ts'
import { decideResource } from './decide-request.ts'
import { denyRequest } from './deny-request.ts'

/** One of several watches that share an answer. */
export interface WatchSpec {
  /** The page's own name for it. */
  readonly id: string
  /** Path and query, as for a watch of its own. */
  readonly path: string
  /** The form of the objects; JSON by default. */
  readonly accept: string
}

const mostWatches = 200

/** Reads `{"watches":[{"id","path","accept"?}]}`. Each path must be one that the gateway would pass on as a watch. */
export function readWatchSpecs(body: Uint8Array): readonly WatchSpec[] {
  const { watches } = parse(body) as { readonly watches?: unknown }
  if (!Array.isArray(watches) || watches.length === 0 || watches.length > mostWatches)
    throw bad(`"watches" must be a list of 1 to ${mostWatches} watches`)
  const specs = watches.map(readSpec)
  if (new Set(specs.map(({ id }) => id)).size < specs.length) throw bad('each watch needs an id of its own')
  return specs
}

function readSpec(value: unknown): WatchSpec {
  const { id, path, accept = 'application/json' } = (value ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || id === '') throw bad('each watch needs an id')
  if (typeof path !== 'string' || typeof accept !== 'string')
    throw bad(`watch ${id}: "path" and "accept" are texts`)
  const [before = '', query = ''] = path.split('?', 2)
  const api = readApiPath(before)
  if (!api?.resource || !/^(?:1|true)$/.test(new URLSearchParams(query).get('watch') ?? ''))
    throw bad(`watch ${id}: ${path} is no watch of a resource; it needs watch=1`)
  const denial = decideResource(api)
  if (denial !== undefined) throw denyRequest(denial)
  if (!accept.split(',').every((each) => each.trim().startsWith('application/json')))
    throw bad(`watch ${id}: events can only be JSON`)
  return { id, path, accept }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body)) ?? {}
  } catch {
    throw bad('the body is no JSON')
  }
}

const bad = (message: string): ApiError => new ApiError(400, 'BadRequest', message)
