import { type HttpBody, type HttpResponse, utf8 } from '@strata/world'
import { parseLossless } from '../codec/index.ts'
import { negotiateMedia, type RequestContext } from '../handlers/index.ts'
import { type ListBatches, readListBatches } from './list-batches.ts'
import { indentedList, yamlList } from './reencode-list.ts'
import { yamlText } from './yaml-text.ts'

/**
 * Handlers answer in JSON. On the way out their bytes become what the client would rather read: YAML, or JSON
 * with indentation. What is already in another form (text, watches, aggregated discovery) passes untouched.
 */
export function encodeAnswer(
  { request, info }: RequestContext,
  response: HttpResponse,
): HttpResponse | Promise<HttpResponse> {
  if (response.headers['content-type'] !== 'application/json') return response
  if (info.verb === 'watch' && response.status === 200) return response
  // The version of the software is told in JSON whatever is asked for, as upstream does. Documents of OpenAPI are
  // known by the hash of their bytes.
  if (info.path === '/version' || info.path.startsWith('/openapi/')) return response
  const media = negotiateMedia(request.headers, response.status >= 400)
  if (media === 'json' && !wantsIndentation(request.headers, info.query)) return response
  return reencode(response, media)
}

const trueWords = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** People read what these programs show. */
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

/** A long list is written a part at a time, so that nobody else waits for all of it. */
const encodeList = (list: ListBatches, media: 'json' | 'yaml'): HttpBody =>
  media === 'json' ? indentedList(list) : yamlList(list)
