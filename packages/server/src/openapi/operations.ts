import { type Components, type Json, refTo } from './components.ts'
import type { DescribableResource, DescribableRoutes } from './describable.ts'
import { deleteOptions, patchType, statusType } from './meta-types.ts'
import {
  byName,
  customQueryParameters,
  nameParameter,
  namespaceParameter,
  prettyParameter,
  queryParameters,
} from './parameters.ts'
import { capital, kindVersionOf, operationScope, tagOf, typePackage, upstreamPackage } from './type-names.ts'

const mediaTypes = ['application/json', 'application/yaml']
const protobufType = 'application/vnd.kubernetes.protobuf'
const streamTypes = ['application/json;stream=watch']

interface VerbWords {
  readonly method: string
  /** The value of `x-kubernetes-action`. */
  readonly action: string
  readonly operation: string
  /** `of` names the subresource, with a preposition. */
  readonly sentence: (kind: string, of: string) => string
  readonly answers: Readonly<Record<string, string>>
}

/** A kind that ends like a plural has no article. */
function withArticle(kind: string): string {
  if (/(^|[^s])s$/.test(kind)) return kind
  return `${/^[AEIOU]/i.test(kind) ? 'an' : 'a'} ${kind}`
}

const ok = { 200: 'OK' }
const created = { 200: 'OK', 201: 'Created' }
const accepted = { 200: 'OK', 202: 'Accepted' }

/** In upstream's order. A watch is a list that goes on, and has no operation of its own. */
const verbs: Readonly<Record<string, VerbWords>> = {
  list: {
    method: 'get',
    action: 'list',
    operation: 'list',
    sentence: (kind) => `list or watch objects of kind ${kind}`,
    answers: ok,
  },
  get: {
    method: 'get',
    action: 'get',
    operation: 'read',
    sentence: (kind, of) => `read ${of}the specified ${kind}`,
    answers: ok,
  },
  create: {
    method: 'post',
    action: 'post',
    operation: 'create',
    sentence: (kind, of) => `create ${of}${withArticle(kind)}`,
    answers: { ...created, 202: 'Accepted' },
  },
  update: {
    method: 'put',
    action: 'put',
    operation: 'replace',
    sentence: (kind, of) => `replace ${of}the specified ${kind}`,
    answers: created,
  },
  delete: {
    method: 'delete',
    action: 'delete',
    operation: 'delete',
    sentence: (kind) => `delete ${withArticle(kind)}`,
    answers: accepted,
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    operation: 'delete',
    sentence: (kind) => `delete collection of ${kind}`,
    answers: ok,
  },
  patch: {
    method: 'patch',
    action: 'patch',
    operation: 'patch',
    sentence: (kind, of) => `partially update ${of}the specified ${kind}`,
    answers: created,
  },
}

/** Upstream differs for custom kinds: another text for list, and no 201 for patch. */
const customVerbs: Readonly<Record<string, VerbWords>> = {
  ...verbs,
  list: { ...verbs['list'], sentence: (kind) => `list objects of kind ${kind}` } as VerbWords,
  patch: { ...verbs['patch'], answers: ok } as VerbWords,
}

const ofCollections = new Set(['list', 'create', 'deletecollection'])

/** The paths of one resource, with an operation for each served verb. */
export function resourcePaths(
  resource: DescribableResource,
  routes: DescribableRoutes,
  components: Components,
): Readonly<Record<string, Json>> {
  const { group, versionName, definition } = resource
  const root = group === '' ? `/api/${versionName}` : `/apis/${group}/${versionName}`
  const isNamespaced = definition.scope === 'Namespaced'
  const collection = `${root}${isNamespaced ? '/namespaces/{namespace}' : ''}/${definition.plural}`
  const describe = (verb: string, where: Where): readonly [string, Json][] => {
    const words = (definition.isCustom ? customVerbs : verbs)[verb]
    return words ? [[words.method, operation({ resource, routes, components, verb, words, where })]] : []
  }
  const pathItem = (served: readonly string[], where: Where, parameters: readonly Json[]): Json => {
    const operations = Object.keys(verbs).flatMap((verb) =>
      served.includes(verb) ? describe(verb, where) : [],
    )
    const inPath = isNamespaced && !where.isEverywhere ? [namespaceParameter] : []
    return withCommonParameters(operations, [...parameters, ...inPath, prettyParameter])
  }

  const served: readonly string[] = routes.of(resource)
  const single = [nameParameter(definition.kind)]
  const paths: Record<string, Json> = {}
  const add = (
    path: string,
    its: readonly string[],
    where: Where,
    parameters: readonly Json[] = [],
  ): void => {
    if (its.some((verb) => verbs[verb])) paths[path] = pathItem(its, where, parameters)
  }
  const inCollection = served.filter((verb) => ofCollections.has(verb))
  const ofObject = served.filter((verb) => !ofCollections.has(verb))
  if (isNamespaced) {
    const everywhere = inCollection.filter((verb) => verb === 'list')
    add(`${root}/${definition.plural}`, everywhere, { part: '', isEverywhere: true })
  }
  add(collection, inCollection, { part: '', isEverywhere: false })
  add(`${collection}/{name}`, ofObject, { part: '', isEverywhere: false }, single)
  for (const [part, its, other] of routes.ofSubresources(resource)) {
    if (other) addPartKind(components, routes, other)
    add(`${collection}/{name}/${part}`, its, { part, isEverywhere: false, other }, single)
  }
  return paths
}

/** Parameters of every operation are listed once, for the whole path. */
function withCommonParameters(operations: readonly [string, Json][], parameters: readonly Json[]): Json {
  const [first = [], ...others] = operations.map(([, each]) => each['parameters'] as readonly Json[])
  const common = first.filter((parameter) => others.every((each) => each.includes(parameter)))
  const own = operations.map(([method, { parameters: all, ...rest }]) => {
    const left = (all as readonly Json[]).filter((each) => !common.includes(each))
    const { tags, description, operationId, ...more } = rest
    return [
      method,
      { tags, description, operationId, ...(left.length > 0 ? { parameters: left } : {}), ...more },
    ]
  })
  return { ...Object.fromEntries(own), parameters: byName([...parameters, ...common]) }
}

interface Where {
  /** The subresource, or '' for the object itself. */
  readonly part: string
  /** In all namespaces. */
  readonly isEverywhere: boolean
  /** The kind of a subresource's body, if it is not the object itself. */
  readonly other?: PartKind | undefined
}

interface PartKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

const partType = ({ group, version, kind }: PartKind): string =>
  `${upstreamPackage({ group, versionName: version })}.${kind}`

function addPartKind(components: Components, routes: DescribableRoutes, part: PartKind): void {
  components.add(partType(part), routes.schemaOfPart(part.kind) ?? {}, true, {
    'x-kubernetes-group-version-kind': [part],
  })
}

interface OperationRequest {
  readonly resource: DescribableResource
  readonly routes: DescribableRoutes
  readonly components: Components
  readonly verb: string
  readonly words: VerbWords
  readonly where: Where
}

function operation({ resource, routes, components, verb, words, where }: OperationRequest): Json {
  const { definition } = resource
  const { group, versionName } = kindVersionOf(resource)
  const { kind, listKind } = definition
  const home = typePackage(resource)
  const use = (schema: Parameters<Components['publish']>[0]): Json =>
    components.publish(schema, { typePackage: home, typed: false, isAlwaysThere: false })
  const object = refTo(where.other ? partType(where.other) : `${home}.${kind}`)
  const isDeletion = verb === 'delete' || verb === 'deletecollection'
  const isCustom = definition.isCustom === true
  const answer = verb === 'list' ? refTo(`${home}.${listKind}`) : isDeletion ? use(statusType) : object
  // Custom kinds have no protobuf messages. No answer is in protobuf.
  const bodyTypes = definition.typed ? [...mediaTypes, protobufType] : mediaTypes
  const types =
    verb === 'list' && !isCustom && routes.of(resource).includes('watch')
      ? [...mediaTypes, ...streamTypes]
      : mediaTypes
  const scope = definition.scope === 'Namespaced' && !where.isEverywhere ? 'Namespaced' : ''
  const middle = verb === 'deletecollection' ? 'Collection' : ''
  const end = where.isEverywhere ? 'ForAllNamespaces' : capital(where.part)
  return {
    tags: [tagOf(resource)],
    description: words.sentence(kind, where.part && `${where.part} of `),
    operationId: `${words.operation}${operationScope(resource)}${middle}${scope}${kind}${end}`,
    parameters: (isCustom ? customQueryParameters : queryParameters)[verb],
    ...requestBody(),
    responses: {
      ...Object.fromEntries(
        Object.entries(words.answers).map(([code, description]) => [
          code,
          { description, content: contentOf(types, answer) },
        ]),
      ),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': words.action,
    'x-kubernetes-group-version-kind':
      where.other && !isCustom ? where.other : { group, version: versionName, kind },
  }

  function requestBody(): Json {
    if (isCustom && verb === 'deletecollection') return {}
    if (isDeletion) return { requestBody: { content: contentOf(bodyTypes, use(deleteOptions)) } }
    if (verb === 'patch') {
      const content = contentOf(routes.patchTypesOf(resource), use(patchType))
      return { requestBody: { content, required: true } }
    }
    if (verb !== 'create' && verb !== 'update') return {}
    return { requestBody: { content: contentOf(bodyTypes, object), required: true } }
  }
}

function contentOf(types: readonly string[], schema: Json): Json {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}
