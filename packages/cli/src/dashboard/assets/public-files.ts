import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import { answerAsset } from './answer-asset.ts'
import { loadDashboardAssets } from './load-assets.ts'

const first = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0]

/** Says how the page was served, and so how a user signs in. `kind` is `server` or `gateway`. */
const sessionPath = '/dashboard/session'

/** What an API server answers below `/dashboard`. */
export async function servePublicFiles({
  method,
  target,
  headers,
}: Pick<HttpRequest, 'method' | 'target' | 'headers'>): Promise<HttpResponse> {
  if (target === sessionPath && method === 'GET') return describeServer()
  return answerAsset(await loadDashboardAssets(), {
    ...{ method, target },
    acceptEncoding: first(headers['accept-encoding']),
    ifNoneMatch: first(headers['if-none-match']),
  })
}

function describeServer(): HttpResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: utf8.encode('{"kind":"server"}'),
    isFinal: true,
  }
}
