import { ApiError, badRequest, methodNotAllowed, notFoundPath } from '@strata/api'
import { type HttpRequest, type HttpResponse, readAll, utf8 } from '@strata/world'
import type { FleetEvent } from '../state/fleet-events.ts'
import type { FleetState } from '../state/fleet-state.ts'
import type { Playground } from './create-playground.ts'

/** Where the fleet is shown and controlled: behind the gateway of the dashboard, and on the socket of the command line. */
export const playgroundPaths = {
  fleet: '/playground/v1/fleet',
  events: '/playground/v1/events',
  actions: '/playground/v1/actions',
} as const

/**
 * Answers a request to the playground. The caller has authenticated it: this knows no users. `watch=1` streams, one JSON document
 * per line, until the signal of the request is aborted: of the fleet the whole state on each change, of the events each one.
 * `after=N` leaves out the events up to number N.
 */
export async function answerPlayground(
  playground: Playground,
  { method, target, body, signal }: Omit<HttpRequest, 'headers'>,
): Promise<HttpResponse> {
  const { pathname, searchParams } = new URL(target, 'http://playground')
  const isWatch = ['1', 'true'].includes(searchParams.get('watch') ?? '')
  try {
    switch (pathname) {
      case playgroundPaths.fleet:
        if (method !== 'GET') throw methodNotAllowed(`${method} ${pathname}`)
        return isWatch ? answerLines(playground.watch(signal)) : answerJson(200, playground.state)
      case playgroundPaths.events: {
        if (method !== 'GET') throw methodNotAllowed(`${method} ${pathname}`)
        const after = readAfter(searchParams.get('after') ?? '0')
        return isWatch
          ? answerLines(playground.watchEvents(after, signal))
          : answerJson(200, { events: playground.events(after) })
      }
      case playgroundPaths.actions: {
        if (method !== 'POST') throw methodNotAllowed(`${method} ${pathname}`)
        const message = await playground.act(parse(await readAll(body ?? new Uint8Array())))
        return answerJson(202, { message })
      }
      default:
        throw notFoundPath(pathname)
    }
  } catch (error) {
    if (error instanceof ApiError) return answerJson(error.code, error.status)
    throw error
  }
}

const uncached = { 'cache-control': 'no-store' } as const

const answerLines = (documents: AsyncIterable<FleetState | FleetEvent>): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/x-ndjson', ...uncached },
  body: lines(documents),
})

async function* lines(documents: AsyncIterable<object>): AsyncGenerator<Uint8Array, void> {
  for await (const each of documents) yield utf8.encode(`${JSON.stringify(each)}\n`)
}

function readAfter(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badRequest('"after" has to be the number of an event')
  return Number(text)
}

export const answerJson = (status: number, value: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...uncached },
  body: utf8.encode(`${JSON.stringify(value)}\n`),
})

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    throw badRequest('the body is not JSON')
  }
}
