import type { HttpHeaders, HttpResponse } from '@strata/world'
import { documentUrl, type OpenApi, type OpenApiDocument, type SwaggerForm } from '../openapi/index.ts'
import { parseAccept } from './answer/accept.ts'
import type { RequestContext } from './request-context.ts'

const root = '/openapi/v3'
const swaggerPath = '/openapi/v2'
const yearMs = 365 * 24 * 3_600_000

/** Answers OpenAPI paths; undefined for every other path. */
export async function answerOpenApi(
  openApi: OpenApi,
  { request: { headers }, info: { path, query } }: RequestContext,
  nowMs: () => number,
): Promise<HttpResponse | undefined> {
  // Upstream sends the index without a type, and Go's server then calls it text.
  if (path === root) return answerDocument(await openApi.index(), headers, 'text/plain; charset=utf-8')
  if (path === swaggerPath) return answerSwagger(openApi, headers)
  if (!path.startsWith(`${root}/`)) return undefined
  const key = path.slice(root.length + 1)
  if (!acceptsJson(headers)) return respondEmpty(406)
  const document = openApi.document(key)
  if (!document) return respondEmpty(404)
  const { hash } = document
  const asked = query.get('hash')
  if (!asked) return answerDocument(document, headers, 'application/json')
  // A client that requests another hash must not cache this document under it.
  if (asked !== hash) return { ...respondEmpty(301), headers: { ...vary, location: documentUrl(key, hash) } }
  return answerDocument(document, headers, 'application/json', {
    'cache-control': 'public, immutable',
    expires: new Date(nowMs() + yearMs).toUTCString(),
  })
}

const vary = { vary: 'Accept' } as const

function answerDocument(
  { body, hash }: OpenApiDocument,
  headers: HttpHeaders,
  type: string,
  more: HttpHeaders = {},
): HttpResponse {
  const etag = `"${hash}"`
  const common = { ...vary, etag, ...more }
  if (isKnown(headers, etag)) return { status: 304, headers: common, body: new Uint8Array() }
  return { status: 200, headers: { 'content-type': type, ...common }, body }
}

/** A client may send several ETags. A proxy that compresses the answer makes its ETag weak: `W/` comes first. */
function isKnown(headers: HttpHeaders, etag: string): boolean {
  const known = headers['if-none-match']
  if (typeof known !== 'string') return false
  return known.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')))
}

/** Clients request the type with an at sign, and the answer has a dot. Some clients use the dot as well. */
const swaggerForms: ReadonlyArray<[subtype: string, form: SwaggerForm, type: string]> = [
  ['json', 'json', 'application/json'],
  ...['com.github.proto-openapi.spec.v2@v1.0+protobuf', 'com.github.proto-openapi.spec.v2.v1.0+protobuf'].map(
    (subtype): [string, SwaggerForm, string] => [
      subtype,
      'protobuf',
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ],
  ),
]

async function answerSwagger(openApi: OpenApi, headers: HttpHeaders): Promise<HttpResponse> {
  for (const { type, subtype } of parseAccept(String(headers['accept'] || '*/*'))) {
    if (type !== '*' && type !== 'application') continue
    const found = swaggerForms.find(([own]) => subtype === '*' || subtype === own)
    if (found) return answerDocument(await openApi.swagger(found[1]), headers, found[2])
  }
  return respondEmpty(406)
}

/** A client that accepts only protobuf cannot read anything else. */
function acceptsJson(headers: HttpHeaders): boolean {
  const header = headers['accept']
  if (header === undefined || header === '') return true
  return parseAccept(String(header)).some(
    ({ type, subtype }) =>
      (type === '*' || type === 'application') && (subtype === '*' || subtype === 'json'),
  )
}

function respondEmpty(status: number): HttpResponse {
  return { status, headers: vary, body: new Uint8Array() }
}
