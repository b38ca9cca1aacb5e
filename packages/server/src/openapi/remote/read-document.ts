import type { Json } from '../components.ts'
import type { GroupVersionName } from '../type-names.ts'
import { isObject, kindsWord, objectOf } from './read-parts.ts'

/** Types that a document has for all groups, each with the kinds of many. */
const kindsOfAll = new Set<unknown>([
  ...['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'DeleteOptions', 'Status', 'WatchEvent'],
])

/**
 * The OpenAPI v3 document of another server for one version. Paths of other versions are removed, and kinds of other versions
 * that none of its paths is about; the same object if there are none. Undefined if it is no such document, or has no path of the
 * version.
 */
export function readDocument(document: unknown, { group, versionName }: GroupVersionName): Json | undefined {
  if (!isObject(document) || !String(document['openapi']).startsWith('3.')) return undefined
  const paths = objectOf(document['paths'])
  const prefix = `/apis/${group}/${versionName}/`
  const mine = Object.entries(paths).filter(([path]) => path.startsWith(prefix))
  if (mine.length === 0) return undefined
  const components = objectOf(document['components'])
  const schemas = objectOf(components['schemas'])
  const used = new Set(mine.flatMap(([, item]) => kindsOfOperations(item)))
  const mayName = (kind: unknown): boolean =>
    isObject(kind) &&
    ((kind['group'] === group && kind['version'] === versionName) ||
      kindsOfAll.has(kind['kind']) ||
      used.has(keyOf(kind)))
  const kept = Object.entries(schemas).map(([name, schema]) => [name, withKinds(schema, mayName)] as const)
  const isChanged = kept.some(([name, schema]) => schema !== schemas[name])
  if (mine.length === Object.keys(paths).length && !isChanged) return document
  return {
    ...document,
    paths: Object.fromEntries(mine),
    components: { ...components, schemas: Object.fromEntries(kept) },
  }
}

/**
 * A path may be about objects of another group, as those of agreement records are. Clients that look a kind up by its path, such
 * as `kubectl explain`, must find it in the same document.
 */
function kindsOfOperations(item: unknown): readonly string[] {
  return Object.values(objectOf(item)).flatMap((operation) => {
    const kind = isObject(operation) ? operation[kindsWord] : undefined
    return isObject(kind) ? [keyOf(kind)] : []
  })
}

const keyOf = ({ group, version, kind }: Json): string => JSON.stringify([group, version, kind])

function withKinds(schema: unknown, mayName: (kind: unknown) => boolean): unknown {
  if (!isObject(schema) || schema[kindsWord] === undefined) return schema
  const { [kindsWord]: given, ...rest } = schema
  const kinds = [given].flat().filter(mayName)
  if (Array.isArray(given) && kinds.length === given.length) return schema
  return kinds.length === 0 ? rest : { ...rest, [kindsWord]: kinds }
}
