import { createFailoverTransport } from '@strata/client'
import {
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from '@strata/world'
import type { FleetBoard } from '../state/fleet-board.ts'
import type { FleetServer } from './fleet-server.ts'

type Reached = Pick<FleetServer, 'name' | 'transport' | 'freezeSignal'>

/**
 * Sends each request to a server that is ready now; to the next one if it certainly did not arrive. A request that a server was
 * answering when it was frozen fails, also a watch: its reader would wait for ever, and asks another server instead.
 */
export function readyTransport(board: FleetBoard, servers: readonly Reached[]): Transport {
  const through = (
    { name, transport, freezeSignal }: Reached,
    request: HttpRequest,
  ): Promise<HttpResponse> => {
    const { state } = board.server(name)
    if (state !== 'ready')
      throw new TransportError(`no server of the fleet is ready: ${name} is ${state}`, 'no')
    return sendUntil(freezeSignal, transport, request)
  }
  const [first, ...others] = servers.map(
    (server): Transport =>
      async (request) =>
        through(server, request),
  )
  if (!first) throw new Error('a fleet without servers')
  return createFailoverTransport([first, ...others])
}

async function sendUntil(
  end: AbortSignal,
  transport: Transport,
  request: HttpRequest,
): Promise<HttpResponse> {
  const stop = new AbortController()
  const onCaller = (): void => stop.abort(request.signal.reason)
  const onEnd = (): void => stop.abort(end.reason)
  const forget = (): void => {
    request.signal.removeEventListener('abort', onCaller)
    end.removeEventListener('abort', onEnd)
  }
  if (request.signal.aborted) onCaller()
  request.signal.addEventListener('abort', onCaller, { once: true })
  end.addEventListener('abort', onEnd, { once: true })
  try {
    const answer = await transport({ ...request, signal: stop.signal })
    if (answer.body instanceof Uint8Array) forget()
    return answer.body instanceof Uint8Array ? answer : { ...answer, body: andThen(answer.body, forget) }
  } catch (error) {
    forget()
    throw error
  }
}

async function* andThen(body: Exclude<HttpBody, Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } finally {
    end()
  }
}
