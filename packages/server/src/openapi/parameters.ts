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
  'the namespace that the object is in',
)
export const prettyParameter: Json = parameter('query', 'pretty', 'string', 'True for JSON with indentation.')

const dryRun = parameter('query', 'dryRun', 'string', 'All: check everything and change nothing.')
const fieldManager = parameter(
  'query',
  'fieldManager',
  'string',
  'In whose name fields are written; printable characters, 128 at most. Apply needs it.',
)
const fieldValidation = parameter(
  'query',
  'fieldValidation',
  'string',
  'What is done about fields that are unknown or there twice: Ignore drops them, Warn drops them and says so, Strict refuses the request.',
)
const force = parameter(
  'query',
  'force',
  'boolean',
  'For apply only: take over fields that somebody else owns with another value.',
)

const resourceVersion = parameter(
  'query',
  'resourceVersion',
  'string',
  'Which state of the store to look at.',
)

const listing: readonly Json[] = [
  parameter(
    'query',
    'allowWatchBookmarks',
    'boolean',
    'Send bookmarks now and then, for watches to resume from.',
  ),
  parameter('query', 'continue', 'string', 'From the part of the list before: where to go on.'),
  parameter('query', 'fieldSelector', 'string', 'Only objects with these values of fields.'),
  parameter('query', 'labelSelector', 'string', 'Only objects with such labels.'),
  parameter('query', 'limit', 'integer', 'How many objects at most; the list says how to get the rest.'),
  resourceVersion,
  parameter('query', 'resourceVersionMatch', 'string', 'Whether that very state or a later one.'),
  parameter('query', 'sendInitialEvents', 'boolean', 'Begin a watch with all objects there are.'),
  parameter('query', 'timeoutSeconds', 'integer', 'When to end, whatever has happened by then.'),
  parameter('query', 'watch', 'boolean', 'Go on with the changes instead of ending with the list.'),
]

const deleting: readonly Json[] = [
  dryRun,
  parameter('query', 'gracePeriodSeconds', 'integer', 'How long the object may take to end; 0 for at once.'),
  parameter('query', 'orphanDependents', 'boolean', 'Outdated: true for a propagationPolicy of Orphan.'),
  parameter(
    'query',
    'propagationPolicy',
    'string',
    'What becomes of dependents: Orphan, Background or Foreground.',
  ),
]

/** Nothing is watched while it is deleted. */
const isOfWatches: ReadonlySet<unknown> = new Set(['allowWatchBookmarks', 'watch'])
export const byName = (parameters: readonly Json[]): readonly Json[] =>
  parameters.toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1))

/** What may be said in the query of each verb. */
export const queryParameters: Readonly<Record<string, readonly Json[]>> = {
  list: listing,
  create: [dryRun, fieldManager, fieldValidation],
  get: [],
  update: [dryRun, fieldManager, fieldValidation],
  patch: [dryRun, fieldManager, fieldValidation, force],
  delete: deleting,
  deletecollection: byName([...deleting, ...listing.filter(({ name }) => !isOfWatches.has(name))]),
}

/** Upstream says of custom kinds what its options have, used or not. */
export const customQueryParameters: Readonly<Record<string, readonly Json[]>> = {
  ...queryParameters,
  get: [resourceVersion],
  deletecollection: listing,
}
