import type { RequestContext, RequestInfo, ResourceTarget, ServerRequest } from '../handlers/index.ts'
import type { ServedApi } from '../registry/index.ts'

const verbsByMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Below a namespace these are subresources of the namespace, not resources in it. */
const namespaceSubresources = new Set(['status', 'finalize'])

/**
 * What a request names, from its method and path alone (docs/reference/wire-compatibility.md, 1.1). With `isDeep`, a path below a
 * subresource counts as the subresource; otherwise it names nothing.
 */
export function parseRequestInfo(method: string, requestTarget: string, isDeep = false): RequestInfo {
  const question = requestTarget.indexOf('?')
  const path = question < 0 ? requestTarget : requestTarget.slice(0, question)
  const query = new URLSearchParams(question < 0 ? '' : requestTarget.slice(question + 1))
  const parsed = parseTarget(path, isDeep)
  const verb = verbsByMethod[method] ?? method.toLowerCase()
  if (!parsed) return { path, query, verb, target: undefined }
  const { target, isWatch } = parsed
  if (!isWatch || verb !== 'get') return { path, query, verb: resourceVerb(verb, target, query), target }
  // The deprecated way to watch one object. Handlers know the new way, a field selector.
  if (target.name !== '' && !query.has('fieldSelector')) {
    query.set('fieldSelector', `metadata.name=${target.name}`)
  }
  return { path, query, verb: 'watch', target }
}

/**
 * What a request names, and who serves it now: this server, or that of an APIService. Another server may have paths below
 * subresources. They are authorized as the subresource, as upstream does: as mere paths, every user could read them who may read
 * discovery.
 */
export function findTarget(
  api: Pick<ServedApi, 'find' | 'elsewhere'>,
  { method, target: requestTarget }: Pick<ServerRequest, 'method' | 'target'>,
): Pick<RequestContext, 'info' | 'resource' | 'elsewhere'> {
  const info = parseRequestInfo(method, requestTarget)
  const { target } = info
  const elsewhere = api.elsewhere(info.path)
  if (elsewhere) {
    return {
      info: target ? info : parseRequestInfo(method, requestTarget, true),
      resource: undefined,
      elsewhere,
    }
  }
  const resource = target && api.find(target.group, target.versionName, target.resource)
  return { info, resource, elsewhere: undefined }
}

interface ParsedTarget {
  readonly target: ResourceTarget
  /** Whether the path is a watch: `/api/v1/watch/…`. */
  readonly isWatch: boolean
}

function resourceVerb(verb: string, { name }: ResourceTarget, query: URLSearchParams): string {
  if (name !== '') return verb
  if (verb === 'delete') return 'deletecollection'
  if (verb !== 'get') return verb
  const watch = query.get('watch')
  return watch !== null && watch !== 'false' && watch !== '0' ? 'watch' : 'list'
}

function parseTarget(path: string, isDeep: boolean): ParsedTarget | undefined {
  const parts = decodeSegments(path)
  const skip = parts?.[0] === 'api' ? 2 : parts?.[0] === 'apis' ? 3 : undefined
  if (!parts || skip === undefined || parts.length <= skip) return undefined
  const isWatch = parts[skip] === 'watch' && parts.length > skip + 1
  const group = skip === 2 ? '' : (parts[1] ?? '')
  const target = targetOf(group, parts[skip - 1] ?? '', parts.slice(isWatch ? skip + 1 : skip), isDeep)
  return target && { target, isWatch }
}

/** Each segment is decoded by itself: a `%2F` inside a name must not become a separator. */
function decodeSegments(path: string): string[] | undefined {
  const parts = path.split('/').slice(1)
  if (parts.at(-1) === '') parts.pop()
  try {
    return parts.map((part) => (part.includes('%') ? decodeURIComponent(part) : part))
  } catch {
    // No resource has such a path. It is answered as an unknown path.
    return undefined
  }
}

function targetOf(
  group: string,
  versionName: string,
  rest: readonly string[],
  isDeep: boolean,
): ResourceTarget | undefined {
  const inNamespace =
    rest[0] === 'namespaces' && rest.length >= 3 && !namespaceSubresources.has(rest[2] ?? '')
  const [resource = '', name = '', subresource = '', ...more] = inNamespace ? rest.slice(2) : rest
  if ((more.length > 0 && !isDeep) || resource === '') return undefined
  // A request for a namespace is in that namespace: authorization counts it so.
  const namespace = inNamespace ? (rest[1] ?? '') : resource === 'namespaces' && group === '' ? name : ''
  return { group, versionName, namespace, resource, subresource, name }
}
