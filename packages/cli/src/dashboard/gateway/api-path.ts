/** What a path of the Kubernetes API names, as far as the gateway has to know it. */
export interface ApiPath {
  /** `undefined` for discovery, OpenAPI and the version. */
  readonly resource:
    | { readonly group: string; readonly name: string; readonly subresource: string }
    | undefined
}

const DOCUMENTS = ['openapi', 'version']

/**
 * Reads a path, or returns undefined if the gateway does not pass it on. A path must read the same here and at every server and
 * proxy behind: so no part may be empty, `.` or `..`, hide a slash, or be escaped twice.
 */
export function readApiPath(path: string): ApiPath | undefined {
  const [empty, root = '', ...escaped] = path.split('/')
  if (escaped.at(-1) === '') escaped.pop()
  const rest = escaped.map(decode)
  // Some servers cut the path at a #, others do not.
  if (empty !== '' || path.includes('#') || !rest.every(isPlain)) return undefined
  if (DOCUMENTS.includes(root)) return { resource: undefined }
  if (root !== 'api' && root !== 'apis') return undefined
  const [group = '', named] = root === 'api' ? ['', rest.slice(1)] : [rest[0], rest.slice(2)]
  if (named.length === 0) return { resource: undefined }
  // The deprecated way to watch: /api/v1/watch/…
  const parts = named[0] === 'watch' ? named.slice(1) : named
  const isInNamespace =
    parts[0] === 'namespaces' && parts.length > 2 && !OF_NAMESPACES.includes(parts[2] ?? '')
  const [name = '', , subresource = ''] = isInNamespace ? parts.slice(2) : parts
  return { resource: { group, name, subresource } }
}

/** Subresources of a namespace, not resources in it. */
const OF_NAMESPACES = ['status', 'finalize']

const isPlain = (part: string): boolean => !['', '.', '..'].includes(part) && !/[%/\\\p{Cc}]/u.test(part)

/** As servers read it: once. An escape that is broken gives a part that is not plain. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return '%'
  }
}
