import {
  chance,
  type HttpBody,
  type HttpResponse,
  integer,
  OutboundError,
  pick,
  type Random,
  type Remote,
  readAll,
  sleep,
  TransportError,
} from '@strata/world'
import type { SimNetwork, SimProcess } from '@strata/world/sim'
import { adminToken } from '../../support/fleet.ts'
import { type Counts, count } from '../coverage.ts'
import type { ProxyFaults } from '../world/weather.ts'

/** The address of the service. Which server of the fleet gets a request is decided for each request. */
export const serviceOrigin = 'https://harbour.aggregated.svc:443'

export interface RemoteParts {
  /** The server that passes requests on. */
  readonly process: SimProcess
  readonly network: SimNetwork
  readonly random: Random
  readonly serverNames: () => readonly string[]
  readonly faults: () => ProxyFaults
  readonly counts: Counts
}

/**
 * How a server of the aggregator reaches the servers behind it: the simulated network, and a load balancer that mostly stays with
 * one server. It delays, has no connection, loses answers and cuts them in the middle.
 */
export function createSimulatedRemote(parts: RemoteParts): Remote {
  const { process, network, random, serverNames, faults, counts } = parts
  let last = ''
  const choose = (): string => {
    const [first = '', ...others] = serverNames()
    const all = [first, ...others] as const
    if (!all.includes(last) || chance(random, 0.2)) last = pick(random, all)
    return last
  }
  const noted = (what: string): OutboundError => {
    count(counts, `fault: proxy ${what}`)
    return new OutboundError(`dial tcp 10.0.0.7:443: ${what}`)
  }
  return async ({ method, url, headers, body, signal }) => {
    const { maxDelayMs, refused, lost, cut } = faults()
    await sleep(process.clock, integer(random, maxDelayMs), signal)
    if (chance(random, refused)) throw noted('connection refused')
    const server = choose()
    const isLost = chance(random, lost)
    const cutAfter = chance(random, cut) ? integer(random, 2) : undefined
    try {
      const response = await network.connect(
        process,
        server,
      )({
        ...{ method, target: url.slice(serviceOrigin.length), signal },
        // The certificate of the proxy, and whoever it speaks for.
        headers: { ...headers, authorization: `Bearer ${adminToken}` },
        ...(body === undefined ? {} : { body: await readAll(body) }),
      })
      if (isLost) {
        await abandon(response.body)
        throw noted('connection reset by peer')
      }
      return cutAfter === undefined ? response : cutShort(response, cutAfter, () => noted('unexpected EOF'))
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      throw new OutboundError(`dial tcp 10.0.0.7:443: ${error.message}`)
    }
  }
}

/** Ends with an error after some chunks; a body in one piece loses its second half. */
function cutShort(response: HttpResponse, chunks: number, error: () => Error): HttpResponse {
  const { body } = response
  async function* shortened() {
    if (body instanceof Uint8Array) yield body.subarray(0, body.length / 2)
    else {
      let left = chunks
      for await (const chunk of body) {
        if (left-- <= 0) break
        yield chunk
      }
    }
    throw error()
  }
  return { ...response, body: shortened() }
}

async function abandon(body: HttpBody): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.()
}
