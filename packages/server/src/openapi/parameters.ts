import type { Json } from './components.ts'

function parameter(
  place: 'query' | 'path',
  name: string,
  type: 'string' | 'boolean' | 'integer',
  description: string,
): Json {
  return {
    name,
    in: place,
    description,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  }
}

export const nameParameter = (kind: string): Json =>
  parameter('path', 'name', 'string', `name of the ${kind}`)
export const namespaceParameter: Json = parameter(
  'path',
  'namespace',
  'string',
  'the namespace of the object',
)
export const prettyParameter: Json = parameter('query', 'pretty', 'string', 'True for JSON with indentation.')

const dryRun = parameter('query', 'dryRun', 'string', 'All: validate the request and change nothing.')
const fieldManager = parameter(
  'query',
  'fieldManager',
  'string',
  'The field manager that owns the written fields; at most 128 printable characters. Required for apply.',
)
const fieldValidation = parameter(
  'query',
  'fieldValidation',
  'string',
  'How unknown and duplicate fields are handled: Ignore drops them, Warn drops them with a warning, Strict rejects the request.',
)
const force = parameter(
  'query',
  'force',
  'boolean',
  'For apply only: take ownership of fields that another manager owns with a different value.',
)

const resourceVersion = parameter(
  'query',
  'resourceVersion',
  'string',
  'The revision of the store to read at.',
)

const listing: readonly Json[] = [
  parameter(
    'query',
    'allowWatchBookmarks',
    'boolean',
    'Send periodic bookmark events, from which a watch can resume.',
  ),
  parameter('query', 'continue', 'string', 'The continue token of the previous page.'),
  parameter('query', 'fieldSelector', 'string', 'Only objects whose fields match.'),
  parameter('query', 'labelSelector', 'string', 'Only objects whose labels match.'),
  parameter('query', 'limit', 'integer', 'Objects per page; the list has a token for the next page.'),
  resourceVersion,
  parameter('query', 'resourceVersionMatch', 'string', 'Whether exactly that revision or a later one.'),
  parameter('query', 'sendInitialEvents', 'boolean', 'Begin a watch with the existing objects.'),
  parameter('query', 'timeoutSeconds', 'integer', 'Ends the list or watch after this many seconds.'),
  parameter('query', 'watch', 'boolean', 'Watch for changes instead of returning a list.'),
]

const deleting: readonly Json[] = [
  dryRun,
  parameter('query', 'gracePeriodSeconds', 'integer', 'Time for a graceful end; 0 deletes at once.'),
  parameter('query', 'orphanDependents', 'boolean', 'Deprecated: true means a propagationPolicy of Orphan.'),
  parameter(
    'query',
    'propagationPolicy',
    'string',
    'How dependents are deleted: Orphan, Background or Foreground.',
  ),
]

/** A deletecollection does not watch. */
const isOfWatches: ReadonlySet<unknown> = new Set(['allowWatchBookmarks', 'watch'])
export const byName = (parameters: readonly Json[]): readonly Json[] =>
  parameters.toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1))

/** The query parameters of each verb. */
export const queryParameters: Readonly<Record<string, readonly Json[]>> = {
  list: listing,
  create: [dryRun, fieldManager, fieldValidation],
  get: [],
  update: [dryRun, fieldManager, fieldValidation],
  patch: [dryRun, fieldManager, fieldValidation, force],
  delete: deleting,
  deletecollection: byName([...deleting, ...listing.filter(({ name }) => !isOfWatches.has(name))]),
}

/** For custom kinds upstream lists all fields of its options, used or not. */
export const customQueryParameters: Readonly<Record<string, readonly Json[]>> = {
  ...queryParameters,
  get: [resourceVersion],
  deletecollection: listing,
}
