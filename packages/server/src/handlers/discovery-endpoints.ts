import { ApiError } from '@strata/api'
import type { HttpHeaders, HttpResponse } from '@strata/world'
import type { Discovery } from '../discovery/index.ts'
import { parseAccept } from './answer/accept.ts'
import { isReadable, upstreamTypes } from './answer/forms.ts'
import { respondBytes, respondJson } from './answer/respond.ts'
import type { RequestContext } from './request-context.ts'

const aggregatedGroup = 'apidiscovery.k8s.io'
const aggregatedVersions = new Set(['v2', 'v2beta1'])

/** Answers discovery paths; undefined for every other path. */
export function answerDiscovery(
  discovery: Discovery,
  { request, info }: RequestContext,
  /** Whether all servers have equal documents; undefined without the gate. */
  isConsistent?: () => boolean,
): HttpResponse | undefined {
  const path = info.path.replace(/\/$/, '')
  const root = path === '/api' ? 'api' : path === '/apis' ? 'apis' : undefined
  if (root) {
    const version = aggregatedVersion(request.headers)
    if (version !== undefined) return answerAggregated(discovery, root, version, request.headers)
  }
  if (root === 'api') {
    const versions = coreVersions(request.headers)
    return withVary(respondJson(200, isConsistent ? { ...versions, consistent: isConsistent() } : versions))
  }
  const plain = discovery.document(path)
  if (!plain) return undefined
  checkMedia(request.headers)
  // The field is about built-in documents. In a document of a backend's group it would seem to speak for the backend.
  const says = isConsistent && !discovery.isElsewhere(path)
  const document = says ? withConsistent(plain, isConsistent()) : plain
  return root ? withVary(respondBytes(200, document)) : respondBytes(200, document)
}

/** The aggregated version that the client prefers; undefined if it prefers the legacy documents. */
function aggregatedVersion(headers: HttpHeaders): string | undefined {
  const header = headers['accept']
  if (header === undefined || header === 'application/json' || header === '*/*') return undefined
  for (const clause of parseAccept(String(header))) {
    const { type, subtype, parameters } = clause
    const version = parameters.get('v') ?? ''
    const isAggregated =
      type === 'application' &&
      subtype === 'json' &&
      parameters.get('g') === aggregatedGroup &&
      parameters.get('as') === 'APIGroupDiscoveryList'
    if (isAggregated && aggregatedVersions.has(version)) return version
    if (isReadable(clause)) return undefined
  }
  return undefined
}

/** A client that has the current document gets 304. */
function answerAggregated(
  discovery: Discovery,
  root: 'api' | 'apis',
  version: string,
  headers: HttpHeaders,
): HttpResponse {
  const { body, etag } = discovery.aggregated(root, version)
  const common = { etag, vary: 'Accept', 'cache-control': 'public' }
  if (headers['if-none-match'] === etag) return { status: 304, headers: common, body: new Uint8Array() }
  const type = `application/json;g=${aggregatedGroup};v=${version};as=APIGroupDiscoveryList`
  return { status: 200, headers: { 'content-type': type, ...common }, body }
}

function coreVersions(headers: HttpHeaders): object {
  checkMedia(headers)
  const serverAddress = headers[':authority'] ?? headers['host'] ?? ''
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/**
 * Adds `consistent` to the cached bytes: it changes more often than the rest of the document (KEP "Coordinated Discovery
 * Documents for HA API Servers").
 */
function withConsistent(document: Uint8Array, consistent: boolean): Uint8Array {
  const end = Buffer.from(`,"consistent":${consistent}}\n`)
  return Buffer.concat([document.subarray(0, document.lastIndexOf(closingBrace)), end])
}

const closingBrace = '}'.charCodeAt(0)

function checkMedia(headers: HttpHeaders): void {
  const header = headers['accept']
  if (header === undefined || header === '' || parseAccept(String(header)).some(isReadable)) return
  const message = `only the following media types are accepted: ${upstreamTypes.join(', ')}`
  throw new ApiError(406, 'NotAcceptable', message)
}

function withVary(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, vary: 'Accept' } }
}
