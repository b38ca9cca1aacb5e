import type { Backend } from './backend.ts'

/** A resource of a backend, as aggregated discovery (apidiscovery.k8s.io/v2) shows it. */
export type RemoteResource = Readonly<Record<string, unknown>>

type Fields = Readonly<Record<string, unknown>>

/**
 * The resources of one version in the aggregated document of its backend; undefined if it is no such document. A backend may
 * say what it likes about other versions: only its own is read, and of that only the fields that clients know.
 */
export function readAggregated(
  document: unknown,
  { group, versionName }: Pick<Backend, 'group' | 'versionName'>,
): readonly RemoteResource[] | undefined {
  if (!isObject(document) || document['kind'] !== 'APIGroupDiscoveryList') return undefined
  if (document['apiVersion'] !== 'apidiscovery.k8s.io/v2') return undefined
  const mine = objects(document['items']).find(
    ({ metadata }) => isObject(metadata) && metadata['name'] === group,
  )
  const version = objects(mine?.['versions']).find((each) => each['version'] === versionName)
  return objects(version?.['resources']).flatMap(resourceOf)
}

function resourceOf(given: Fields): readonly RemoteResource[] {
  const { resource, scope } = given
  if (typeof resource !== 'string' || resource === '') return []
  if (scope !== 'Namespaced' && scope !== 'Cluster') return []
  const subresources = objects(given['subresources']).flatMap(subresourceOf)
  return [
    {
      resource,
      responseKind: kindOf(given['responseKind']),
      scope,
      singularResource: text(given['singularResource']),
      verbs: texts(given['verbs']),
      ...namesOf(given),
      ...(subresources.length > 0 ? { subresources } : {}),
    },
  ]
}

function subresourceOf(given: Fields): readonly RemoteResource[] {
  const { subresource } = given
  if (typeof subresource !== 'string' || subresource === '') return []
  const responseKind = kindOf(given['responseKind'])
  const acceptedTypes = objects(given['acceptedTypes']).map(kindOf)
  return [
    {
      subresource,
      responseKind,
      ...(acceptedTypes.length > 0 ? { acceptedTypes } : {}),
      verbs: texts(given['verbs']),
    },
  ]
}

/** The same from the legacy document of the version, `/apis/GROUP/VERSION`; undefined if it is no such document. */
export function readLegacy(
  document: unknown,
  { group, versionName }: Pick<Backend, 'group' | 'versionName'>,
): readonly RemoteResource[] | undefined {
  if (!isObject(document) || document['kind'] !== 'APIResourceList') return undefined
  const given = objects(document['resources']).filter(({ name }) => typeof name === 'string' && name !== '')
  if (document['groupVersion'] !== `${group}/${versionName}`) return undefined
  const found = new Map<string, Record<string, unknown>>()
  for (const each of given.filter(({ name }) => !text(name).includes('/'))) {
    found.set(text(each['name']), {
      resource: each['name'],
      responseKind: kindOf(each),
      scope: scopeOf(each),
      singularResource: text(each['singularName']),
      verbs: texts(each['verbs']),
      ...namesOf(each),
    })
  }
  for (const each of given.filter(({ name }) => text(name).includes('/'))) {
    const name = text(each['name'])
    const parent = name.slice(0, name.indexOf('/'))
    // As upstream: a subresource may be all that there is of a resource.
    const resource = found.get(parent) ?? {
      ...{ resource: parent, responseKind: kindOf({}), scope: scopeOf(each) },
      ...{ singularResource: '', verbs: [] },
    }
    found.set(parent, resource)
    const subresource = name.slice(parent.length + 1)
    resource['subresources'] = [
      ...objects(resource['subresources']),
      { subresource, responseKind: kindOf(each), verbs: texts(each['verbs']) },
    ]
  }
  return [...found.values()]
}

function namesOf(given: Fields): RemoteResource {
  const [shortNames, categories] = [texts(given['shortNames']), texts(given['categories'])]
  return {
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  }
}

/** Clients of 1.26 crash without it. */
function kindOf(given: unknown): RemoteResource {
  const fields = isObject(given) ? given : {}
  return { group: text(fields['group']), version: text(fields['version']), kind: text(fields['kind']) }
}

const scopeOf = ({ namespaced }: Fields): string => (namespaced === true ? 'Namespaced' : 'Cluster')

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objects = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
