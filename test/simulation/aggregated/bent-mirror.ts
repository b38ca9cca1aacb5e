import { type HttpRequest, type Transport, utf8 } from '@strata/world'
import type { Json } from '../world/request.ts'

/** One promise of the mirror, broken: what is sent instead of a write. */
export type BentMirror = () => (request: HttpRequest) => HttpRequest

/** The way of one mirror to the aggregator. */
export function bendMirror(way: Transport, bent: BentMirror | undefined): Transport {
  const rewrite = bent?.()
  return rewrite ? (request) => way(request.method === 'GET' ? request : rewrite(request)) : way
}

const ofVersions = /\/storageversions\/[^/?]+(\?|$)/

/** Rule 15: every third state that is written is the one before it, on top of whatever is there. */
export const olderStates: BentMirror = () => {
  let before: Json
  let count = 0
  return (request) => {
    if (request.method !== 'PUT' || !ofVersions.test(request.target) || !request.body) return request
    const body: Json = JSON.parse(utf8.decode(request.body))
    const { annotations } = body.metadata
    const sent = before !== undefined && ++count % 3 === 0 ? before : annotations
    before = annotations
    const older = { ...body, metadata: { ...body.metadata, annotations: sent } }
    return { ...request, body: utf8.encode(JSON.stringify(older)) }
  }
}
