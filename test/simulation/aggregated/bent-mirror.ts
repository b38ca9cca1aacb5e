import { type HttpRequest, type Transport, utf8 } from '@strata/world'
import type { Json } from '../world/request.ts'

/** One promise of the mirrors of a world, broken: what is sent instead of a write. */
export type BentMirror = (request: HttpRequest) => HttpRequest

/** The way of one mirror to the aggregator. */
export function bendMirror(way: Transport, bent: BentMirror | undefined): Transport {
  return bent ? (request) => way(request.method === 'GET' ? request : bent(request)) : way
}

const ofVersions = /\/storageversions\/[^/?]+(\?|$)/

/** Rule 15: every third state that is written is the one two before it, on top of whatever is there. */
export function olderStates(): BentMirror {
  const named: Json[] = []
  return (request) => {
    if (request.method !== 'PUT' || !ofVersions.test(request.target) || !request.body) return request
    const body: Json = JSON.parse(utf8.decode(request.body))
    const isBroken = named.push(body.metadata.annotations) % 3 === 0
    const annotations = isBroken ? named.at(-3) : body.metadata.annotations
    const older = { ...body, metadata: { ...body.metadata, annotations } }
    return { ...request, body: utf8.encode(JSON.stringify(older)) }
  }
}
