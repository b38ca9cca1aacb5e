import { type HttpBody, type HttpResponse, readAll, utf8 } from '@strata/world'
import { parseLossless } from '../codec/index.ts'
import { negotiateMedia, type RequestContext } from '../handlers/index.ts'
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

async function reencode(response: HttpResponse, media: 'json' | 'yaml'): Promise<HttpResponse> {
  const value = parseLossless(utf8.decode(await readAll(response.body)))
  if (media === 'json') return { ...response, body: utf8.encode(JSON.stringify(value, undefined, 2)) }
  return {
    ...response,
    headers: { ...response.headers, 'content-type': 'application/yaml' },
    body: yamlBody(value),
  }
}

const itemsAtOnce = 200

/** A long list is written a part at a time, so that nobody else waits for all of it. */
function yamlBody(value: unknown): HttpBody {
  const items = (value as { items?: unknown }).items
  if (!Array.isArray(items) || items.length <= itemsAtOnce) return utf8.encode(yamlText(value))
  return yamlChunks(value as Record<string, unknown>, items)
}

async function* yamlChunks(
  list: Record<string, unknown>,
  items: readonly unknown[],
): AsyncGenerator<Uint8Array> {
  for (const key of Object.keys(list).sort()) {
    if (key !== 'items') {
      yield utf8.encode(yamlText({ [key]: list[key] }))
      continue
    }
    yield utf8.encode('items:\n')
    for (let start = 0; start < items.length; start += itemsAtOnce) {
      yield utf8.encode(yamlText(items.slice(start, start + itemsAtOnce)))
    }
  }
}
