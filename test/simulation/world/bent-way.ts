import { type HttpRequest, type HttpResponse, type Transport, utf8 } from '@strata/world'
import type { Json } from './request.ts'

/** What lies between whoever migrates and the servers, if something is broken there. */
export interface BentWay {
  /** Nothing is broken by it: somebody refuses that these are asked for. */
  readonly denied?: RegExp
  /** What was refused is told to be written. */
  readonly refusedIsDone?: boolean
  /** What is sent instead. */
  readonly rewrite?: (request: HttpRequest) => HttpRequest
  /** Whatever else is asked or answered otherwise. */
  readonly wrap?: (way: Transport) => Transport
}

export function bendWay(straight: Transport, bent: BentWay | undefined): Transport {
  if (!bent) return straight
  const way = bent.wrap?.(straight) ?? straight
  const { denied, refusedIsDone, rewrite = (request) => request } = bent
  return async (request) => {
    const [path = ''] = request.target.split('?')
    if (request.method === 'GET') return way(request)
    const response = denied?.test(path) ? denial() : await way(rewrite(request))
    return refusedIsDone && response.status >= 400 ? done() : response
  }
}

/** Puts another body into requests to such a path. */
export function rewriting(
  method: string,
  path: RegExp,
  change: (body: Json) => object,
): NonNullable<BentWay['rewrite']> {
  return (request) => {
    const [asked = ''] = request.target.split('?')
    if (request.method !== method || !path.test(asked) || !request.body) return request
    return { ...request, body: utf8.encode(JSON.stringify(change(JSON.parse(utf8.decode(request.body))))) }
  }
}

const json = { 'content-type': 'application/json' }

function denial(): HttpResponse {
  const status = {
    ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message: 'no' },
  }
  return { status: 403, headers: json, body: utf8.encode(JSON.stringify(status)) }
}

function done(): HttpResponse {
  const object = { metadata: { resourceVersion: '1' } }
  return { status: 200, headers: json, body: utf8.encode(JSON.stringify(object)) }
}
