import { parseLossless } from '@strata/api'
import { type HttpBody, type HttpResponse, utf8 } from '@strata/world'
import { negotiateMedia, type RequestContext } from '../handlers/index.ts'
import { type ListBatches, readListBatches } from './list-batches.ts'
import { indentedList, yamlList } from './reencode-list.ts'
import { yamlText } from './yaml-text.ts'

/**
 * Handlers answer in JSON. If the client prefers YAML or indented JSON, the bytes are converted here. Other forms (text,
 * watches, aggregated discovery) pass unchanged.
 */
export function encodeAnswer(
  { request, info }: RequestContext,
  response: HttpResponse,
): HttpResponse | Promise<HttpResponse> {
  if (response.isFinal || response.headers['content-type'] !== 'application/json') return response
  if (info.verb === 'watch' && response.status === 200) return response
  // As upstream, /version is always JSON. OpenAPI documents are identified by the hash of their bytes.
  if (info.path === '/version' || info.path.startsWith('/openapi/')) return response
  const media = negotiateMedia(request.headers, response.status >= 400)
  if (media === 'json' && !wantsIndentation(request.headers, info.query)) return response
  return reencode(response, media)
}

const trueWords = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** People read the output of these programs. */
function wantsIndentation(headers: RequestContext['request']['headers'], query: URLSearchParams): boolean {
  const asked = query.get('pretty')
  if (asked) return trueWords.has(asked)
  const agent = headers['user-agent']
  return typeof agent === 'string' && /^(?:curl|Wget|Mozilla\/5\.0)/.test(agent)
}

async function reencode({ body, ...response }: HttpResponse, media: 'json' | 'yaml'): Promise<HttpResponse> {
  const headers =
    media === 'json' ? response.headers : { ...response.headers, 'content-type': 'application/yaml' }
  const encoded =
    body instanceof Uint8Array ? encodeWhole(body, media) : encodeList(await readListBatches(body), media)
  return { ...response, headers, body: encoded }
}

function encodeWhole(body: Uint8Array, media: 'json' | 'yaml'): Uint8Array {
  const value = parseLossless(utf8.decode(body))
  return utf8.encode(media === 'json' ? JSON.stringify(value, undefined, 2) : yamlText(value))
}

/** A long list is written in parts, so that other requests do not wait for all of it. */
const encodeList = (list: ListBatches, media: 'json' | 'yaml'): HttpBody =>
  media === 'json' ? indentedList(list) : yamlList(list)
