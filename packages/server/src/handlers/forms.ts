import { ApiError } from '@strata/api'
import type { HttpHeaders, HttpResponse } from '@strata/world'
import { MalformedJson, parseObject } from '../codec/index.ts'
import type { ServedResource } from '../registry/index.ts'
import { type AcceptClause, parseAccept } from './accept.ts'

/**
 * In which form a client wants its answer. Handlers care for `transform` only and always answer in JSON; what
 * `media` says is done to their bytes on the way out, by http.
 *
 * A handler asks `negotiateForm` first of all (it refuses with 406), makes each object's bytes with `serveForm`,
 * the head of a list with `listTypeOf`, a bookmark with `objectTypeOf`, and keeps what it makes per event under `formKey`.
 */
export interface Form {
  readonly media: 'json' | 'yaml'
  /** `metadata`: only kind, apiVersion and metadata of each object, as PartialObjectMetadata. */
  readonly transform: 'object' | 'metadata'
  /** Of PartialObjectMetadata; it is the same in both versions but for its name. */
  readonly metadataVersion: 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1'
}

/** What is asked: one object, a list, or a stream of single objects. */
export type Endpoint = 'object' | 'list' | 'watch'

const plainForm: Form = { media: 'json', transform: 'object', metadataVersion: 'meta.k8s.io/v1' }
const yamlForm: Form = { ...plainForm, media: 'yaml' }

/** As upstream lists them. Protobuf is not spoken here yet: asked for alone it is refused. */
export const upstreamTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const upstreamStreamTypes = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]

export function negotiateForm(headers: HttpHeaders, resource: ServedResource, endpoint: Endpoint): Form {
  const header = headers['accept']
  // The ways of almost every request, without looking any closer.
  if (header === undefined || header === '' || header === 'application/json' || header === '*/*')
    return plainForm
  const clauses = parseAccept(String(header))
  checkRoutable(clauses, endpoint)
  for (const clause of clauses) {
    const form = formOf(clause, resource, endpoint)
    if (form) return form
  }
  throw notAcceptable(`only the following media types are accepted: ${upstreamTypes.join(', ')}`)
}

/**
 * In which media type an answer is written that has been made already. Never refuses: an error must not hide
 * behind another one. An error has no other form than its own, so clauses that ask for one do not count for it.
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

/** For answers that have one form only, in JSON or YAML. */
export function isReadable(clause: AcceptClause): boolean {
  return mediaOf(clause) !== undefined && !['as', 'g', 'v'].some((name) => clause.parameters.has(name))
}

/** Upstream's router knows whole types only, and comes before everything that knows better. */
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

/** What a clause asks for, or undefined where this endpoint has no such thing: then the next clause counts. */
function formOf(clause: AcceptClause, resource: ServedResource, endpoint: Endpoint): Form | undefined {
  const media = mediaOf(clause)
  if (media === undefined) return undefined
  // One YAML document per event is nothing that any client could read.
  if (endpoint === 'watch' && media === 'yaml') return undefined
  const stream = clause.parameters.get('stream')
  if (stream !== undefined && !(stream === 'watch' && endpoint !== 'object')) return undefined
  if (!isServable(clause)) return undefined
  const wanted = clause.parameters.get('as')
  if (wanted === undefined) return media === 'yaml' ? yamlForm : plainForm
  checkPlural(wanted, resource, endpoint)
  const version = clause.parameters.get('v') === 'v1beta1' ? 'v1beta1' : 'v1'
  return { media, transform: 'metadata', metadataVersion: `meta.k8s.io/${version}` }
}

/** Objects as they are, or their metadata alone; tables are not made yet. */
function isServable({ parameters }: AcceptClause): boolean {
  const wanted = parameters.get('as')
  const version = parameters.get('v')
  if (wanted === undefined && version === undefined && !parameters.has('g')) return true
  return (
    parameters.get('g') === 'meta.k8s.io' &&
    (version === 'v1' || version === 'v1beta1') &&
    (wanted === 'PartialObjectMetadata' || wanted === 'PartialObjectMetadataList')
  )
}

/** A client that asks for one and would be given many could not read the answer. */
function checkPlural(wanted: string, { definition }: ServedResource, endpoint: Endpoint): void {
  const isList = endpoint === 'list'
  if (isList === (wanted === 'PartialObjectMetadataList')) return
  const goPackage = definition.group === '' ? 'core' : definition.group.split('.')[0]
  const kind = isList ? definition.listKind : definition.kind
  throw notAcceptable(
    `you requested ${wanted}, but the requested object is ${isList ? 'a list' : 'not a list'} (*${goPackage}.${kind})`,
  )
}

/** Names a form among all forms of one resource: bytes made for one request serve every other of the same key. */
export function formKey({ apiVersion }: ServedResource, { transform, metadataVersion }: Form): string {
  return transform === 'object' ? apiVersion : `${apiVersion} ${metadataVersion}`
}

/** What single objects of a form say they are, bookmarks too. */
export function objectTypeOf(resource: ServedResource, form: Form): { kind: string; apiVersion: string } {
  if (form.transform === 'metadata')
    return { kind: 'PartialObjectMetadata', apiVersion: form.metadataVersion }
  return { kind: resource.definition.kind, apiVersion: resource.apiVersion }
}

/** What a list of a form says it is. */
export function listTypeOf(resource: ServedResource, form: Form): { kind: string; apiVersion: string } {
  if (form.transform === 'metadata') {
    return { kind: 'PartialObjectMetadataList', apiVersion: form.metadataVersion }
  }
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
  return form.transform === 'object' ? served : metadataOnly(resource, form, served)
}

/** The answer to a write, in the form that its client reads. What is no object of the resource stays what it is. */
export function transformAnswer(resource: ServedResource, form: Form, response: HttpResponse): HttpResponse {
  const { body } = response
  if (form.transform === 'object' || response.status >= 300 || !(body instanceof Uint8Array)) return response
  if (parseObject(body)['kind'] !== resource.definition.kind) return response
  return { ...response, body: metadataOnly(resource, form, body) }
}

const metadataKey = Buffer.from('"metadata":')

/** Cut out of the served bytes: nothing is parsed, so nothing can be lost. */
function metadataOnly(
  { definition, apiVersion }: ServedResource,
  form: Form,
  served: Uint8Array,
): Uint8Array {
  const head = `{"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  const bytes = Buffer.from(served.buffer, served.byteOffset, served.byteLength)
  const start = head.length + metadataKey.length
  const isOwn =
    bytes.toString('latin1', 0, head.length) === head &&
    metadataKey.compare(bytes, head.length, Math.min(start, bytes.length)) === 0
  const metadata = isOwn
    ? bytes.subarray(start, endOfObject(bytes, start))
    : Buffer.from(JSON.stringify(parseObject(served)['metadata'] ?? {}))
  return Buffer.concat([
    Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"${form.metadataVersion}","metadata":`),
    metadata,
    Buffer.from('}'),
  ])
}

const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d]

/** The place after the object that begins at `start`. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === open) depth++
    else if (byte === close && --depth === 0) return at + 1
  }
  throw new MalformedJson('the metadata of a stored object does not end')
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start
  while (true) {
    at = bytes.indexOf(quote, at + 1)
    if (at < 0) return bytes.length
    // The quote is part of the string if an odd number of backslashes stands before it.
    let before = at
    while (bytes[before - 1] === backslash) before--
    if ((at - before) % 2 === 0) return at
  }
}
