import { type HttpResponse, utf8 } from '@strata/world'
import type { Asset, Assets } from './packed-assets.ts'
import { securityHeaders } from './security-headers.ts'

const dashboardPath = '/dashboard/'

export interface AssetRequest {
  readonly method: string
  /** Path and query, as on the request line. */
  readonly target: string
  readonly acceptEncoding?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

/**
 * Answers a request for a path at or below `/dashboard`. The path is only looked up, never opened: no path leads out of the
 * files. Files are in `assets/`, named by their content; any other path is the address of a view, which the page itself shows.
 */
export function answerAsset(assets: Assets, request: AssetRequest): HttpResponse {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return answerText(405, 'Files of the dashboard can only be read.\n', { allow: 'GET, HEAD' })
  const [path = ''] = request.target.split('?', 1)
  if (path === '/dashboard') return answerText(308, '', { location: dashboardPath })
  const name = path.slice(dashboardPath.length)
  if (!name.startsWith('assets/')) return answerPage(assets.get('index.html'), request)
  const asset = assets.get(name)
  return asset === undefined
    ? answerText(404, 'The dashboard has no such file. Reload the page: the program was updated.\n')
    : answerFile(asset, request, { 'cache-control': 'public, max-age=31536000, immutable' })
}

/** Names the files, so it must be looked at again each time; the files themselves never change. */
function answerPage(asset: Asset | undefined, request: AssetRequest): HttpResponse {
  if (asset === undefined) return answerText(404, 'The dashboard was not built.\n')
  return answerFile(asset, request, { 'cache-control': 'no-cache' })
}

function answerFile(
  asset: Asset,
  { acceptEncoding = '', ifNoneMatch }: AssetRequest,
  caching: Readonly<Record<string, string>>,
): HttpResponse {
  const encoding = chooseEncoding(acceptEncoding)
  const etag = `"${asset.digest}-${encoding}"`
  const headers = {
    ...securityHeaders,
    ...caching,
    'content-type': asset.type,
    vary: 'Accept-Encoding',
    etag,
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  }
  if (ifNoneMatch?.split(',').some((each) => each.trim() === etag || each.trim() === '*'))
    return { status: 304, headers, body: new Uint8Array(), isFinal: true }
  return { status: 200, headers, body: asset[encoding], isFinal: true }
}

type Encoding = 'br' | 'gzip' | 'identity'

/** The smallest form that the client takes. `q=0` refuses one. */
function chooseEncoding(accepted: string): Encoding {
  const takes = (name: string): boolean =>
    accepted.split(',').some((each) => {
      const [token = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
      return token === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity'
}

function answerText(status: number, text: string, more: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status,
    headers: {
      ...securityHeaders,
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...more,
    },
    body: utf8.encode(text),
    isFinal: true,
  }
}
