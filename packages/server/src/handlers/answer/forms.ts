import { ApiError, type ApiObject } from '@strata/api'
import type { Clock, HttpHeaders, HttpResponse } from '@strata/world'
import { parseObject } from '../../codec/index.ts'
import type { ServedResource } from '../../registry/index.ts'
import type { RequestContext } from '../request-context.ts'
import { type AcceptClause, parseAccept } from './accept.ts'
import { metadataOnly } from './partial-metadata.ts'
import { type TableForm, tableKey, tableOfOne, tableOptions } from './table.ts'

/**
 * The form in which a client wants its answer. Handlers apply only `transform` and answer in JSON; http converts the bytes
 * to `media` on the way out.
 *
 * A handler first calls `negotiateForm` (which refuses with 406). It makes the bytes of each object with `serveForm`, the
 * head of a list with `listTypeOf` and a bookmark with `objectTypeOf`, and caches bytes per event under `formKey`.
 */
export interface Form {
  readonly media: 'json' | 'yaml'
  /** `metadata`: only kind, apiVersion and metadata of each object, as PartialObjectMetadata. `table`: columns for people. */
  readonly transform: 'object' | 'metadata' | 'table'
  readonly table?: TableForm
  /** The version of PartialObjectMetadata or Table. Both versions differ only in name. */
  readonly metadataVersion: 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1'
}

/** The kind of answer: one object, a list, or a stream of objects. */
export type Endpoint = 'object' | 'list' | 'watch'

const plainForm: Form = { media: 'json', transform: 'object', metadataVersion: 'meta.k8s.io/v1' }
const yamlForm: Form = { ...plainForm, media: 'yaml' }

/** In upstream's order. Protobuf answers are not implemented: a client that accepts nothing else is refused. */
export const upstreamTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const upstreamStreamTypes = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]

/** The parts of a request that decide the form of its answer. */
interface Asking {
  readonly request: Pick<RequestContext['request'], 'headers'>
  readonly info: Pick<RequestContext['info'], 'query'>
}

export function negotiateForm(
  asking: Asking,
  resource: ServedResource,
  endpoint: Endpoint,
  clock: Clock,
): Form {
  const header = asking.request.headers['accept']
  // A short cut for almost every request.
  if (header === undefined || header === '' || header === 'application/json' || header === '*/*')
    return plainForm
  const clauses = parseAccept(String(header))
  checkRoutable(clauses, endpoint)
  for (const clause of clauses) {
    const form = formOf(clause, resource, endpoint)
    if (form?.transform === 'table') return { ...form, table: tableOptions(asking.info.query, clock) }
    if (form) return form
  }
  throw notAcceptable(`only the following media types are accepted: ${upstreamTypes.join(', ')}`)
}

/**
 * The media type of an answer that is already made. It never refuses: an error must not hide behind another one. An error
 * has one form only, so clauses that ask for another form are ignored.
 */
export function negotiateMedia(headers: HttpHeaders, isError: boolean): Form['media'] {
  const header = headers['accept']
  if (header === undefined || header === 'application/json' || header === '*/*') return 'json'
  for (const clause of parseAccept(String(header))) {
    const counts = isError ? !clause.parameters.has('as') : isServable(clause)
    const media = counts ? mediaOf(clause) : undefined
    if (media) return media
  }
  return 'json'
}

/** For answers with one form only, in JSON or YAML. */
export function isReadable(clause: AcceptClause): boolean {
  return mediaOf(clause) !== undefined && !['as', 'g', 'v'].some((name) => clause.parameters.has(name))
}

/** Upstream's router accepts whole media types only, and runs before any finer check. */
function checkRoutable(clauses: readonly AcceptClause[], endpoint: Endpoint): void {
  const known = clauses.some(({ type, subtype }) => {
    const name = `${type}/${subtype}`
    return name === '*/*' || upstreamTypes.includes(name)
  })
  if (known) return
  const available = endpoint === 'object' ? upstreamTypes : [...upstreamTypes, ...upstreamStreamTypes]
  throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`, {})
}

function notAcceptable(message: string, details?: ApiError['status']['details']): ApiError {
  return new ApiError(406, 'NotAcceptable', message, details)
}

function mediaOf({ type, subtype }: AcceptClause): Form['media'] | undefined {
  if (type === '*' && subtype === '*') return 'json'
  if (type !== 'application') return undefined
  if (subtype === 'json' || subtype === '*') return 'json'
  return subtype === 'yaml' ? 'yaml' : undefined
}

/** The form that a clause asks for; undefined if this endpoint has no such form, and the next clause counts. */
function formOf(clause: AcceptClause, resource: ServedResource, endpoint: Endpoint): Form | undefined {
  const media = mediaOf(clause)
  if (media === undefined) return undefined
  // No client could read one YAML document per event.
  if (endpoint === 'watch' && media === 'yaml') return undefined
  const stream = clause.parameters.get('stream')
  if (stream !== undefined && !(stream === 'watch' && endpoint !== 'object')) return undefined
  if (!isServable(clause)) return undefined
  const wanted = clause.parameters.get('as')
  if (wanted === undefined) return media === 'yaml' ? yamlForm : plainForm
  const metadataVersion = clause.parameters.get('v') === 'v1beta1' ? 'meta.k8s.io/v1beta1' : 'meta.k8s.io/v1'
  if (wanted === 'Table') return { media, transform: 'table', metadataVersion }
  checkPlural(wanted, resource, endpoint)
  return { media, transform: 'metadata', metadataVersion }
}

/** Whether a clause asks for a form that is served: whole objects, their metadata, or a table. */
function isServable({ parameters }: AcceptClause): boolean {
  const wanted = parameters.get('as')
  const version = parameters.get('v')
  if (wanted === undefined && version === undefined && !parameters.has('g')) return true
  return (
    parameters.get('g') === 'meta.k8s.io' &&
    (version === 'v1' || version === 'v1beta1') &&
    (wanted === 'PartialObjectMetadata' || wanted === 'PartialObjectMetadataList' || wanted === 'Table')
  )
}

/** A client that asks for one object and would get a list could not read the answer. */
function checkPlural(wanted: string, { definition }: ServedResource, endpoint: Endpoint): void {
  const isList = endpoint === 'list'
  if (isList === (wanted === 'PartialObjectMetadataList')) return
  const goPackage = definition.group === '' ? 'core' : definition.group.split('.')[0]
  const kind = isList ? definition.listKind : definition.kind
  throw notAcceptable(
    `you requested ${wanted}, but the requested object is ${isList ? 'a list' : 'not a list'} (*${goPackage}.${kind})`,
  )
}

/**
 * Identifies a form of one resource: bytes made for one request serve all requests with the same key. The key covers the
 * CRD, because another CRD gives other bytes.
 */
export function formKey(resource: ServedResource, { transform, table, metadataVersion }: Form): string {
  const name = resource.definition.isCustom ? definitionName(resource) : resource.apiVersion
  if (transform === 'object') return name
  const key = `${name} ${metadataVersion}`
  return table ? `${key} ${tableKey(table)}` : key
}

const definitionNames = new WeakMap<ServedResource, string>()
let definitionsNamed = 0

function definitionName(resource: ServedResource): string {
  let name = definitionNames.get(resource)
  if (name === undefined) {
    name = `${resource.apiVersion} ${++definitionsNamed}`
    definitionNames.set(resource, name)
  }
  return name
}

/** The kind and apiVersion of single objects of a form, bookmarks included. */
export function objectTypeOf(resource: ServedResource, form: Form): { kind: string; apiVersion: string } {
  if (form.transform === 'metadata')
    return { kind: 'PartialObjectMetadata', apiVersion: form.metadataVersion }
  return { kind: resource.definition.kind, apiVersion: resource.apiVersion }
}

/** The kind and apiVersion of a list of a form. */
export function listTypeOf(resource: ServedResource, form: Form): { kind: string; apiVersion: string } {
  if (form.transform === 'metadata') {
    return { kind: 'PartialObjectMetadataList', apiVersion: form.metadataVersion }
  }
  if (form.transform === 'table') return { kind: 'Table', apiVersion: form.metadataVersion }
  return { kind: resource.definition.listKind, apiVersion: resource.apiVersion }
}

/** The JSON of one object in a form, from its stored bytes. */
export function serveForm(
  resource: ServedResource,
  form: Form,
  stored: Uint8Array,
  revision: number,
  writtenAt: number = revision,
): Uint8Array {
  const { codec, apiVersion } = resource
  const served = codec.serve(stored, revision, apiVersion, writtenAt)
  if (form.transform === 'object') return served
  if (!form.table) return metadataOnly(resource, form.metadataVersion, served)
  const hub = codec.decodeIn(stored, apiVersion)
  return tableOfOne(resource, form, { hub, served, revision })
}

/** Converts the answer to a write to the requested form. An answer that is not an object of the resource stays unchanged. */
export function transformAnswer(resource: ServedResource, form: Form, response: HttpResponse): HttpResponse {
  const { body } = response
  if (form.transform === 'object' || response.status >= 300 || !(body instanceof Uint8Array)) return response
  const object = parseObject(body) as ApiObject
  if (object.kind !== resource.definition.kind) return response
  if (!form.table) return { ...response, body: metadataOnly(resource, form.metadataVersion, body) }
  const revision = Number(object.metadata.resourceVersion ?? 0)
  const hub = resource.codec.toHub(object, resource.apiVersion)
  return { ...response, body: tableOfOne(resource, form, { hub, served: body, revision }) }
}
