import assert from 'node:assert/strict'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { type HttpRequest, OutboundError, type Remote, sleep, type Transport } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type Answer, adminToken, call, createFleetServer, type FleetServerOptions } from './fleet.ts'

const never = new AbortController().signal
/** The common name of the aggregator's proxy certificate. */
export const proxyName = 'front-proxy-client'

/** What an aggregated server needs to believe the aggregator of `startPair`. */
export const pairTrust = {
  clientCa: '',
  requestHeader: {
    ...{
      ca: '',
      allowedNames: [proxyName],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: ['X-Remote-Uid'],
    },
    ...{ groupHeaders: ['X-Remote-Group'], extraHeaderPrefixes: ['X-Remote-Extra-'] },
  },
}

export interface Pair {
  readonly simulation: Simulation
  /** Where clients send their requests. Its store has no lighthouse. */
  readonly aggregator: StrataServer
  /** Has the lighthouse, in a store of its own. */
  readonly aggregated: StrataServer
  /** Questions of the aggregated server to the aggregator, as `METHOD path`. */
  readonly asked: string[]
  /** While it is set, neither server reaches the other. */
  cut: boolean
  /** Sends a request to the aggregator; as the administrator, unless a header says otherwise. */
  send(method: string, path: string, body?: unknown, headers?: HttpRequest['headers']): Promise<Answer>
  /** The same to the aggregated server itself. */
  sendBehind(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>
  pass(ms: number): Promise<void>
}

type Options = Partial<Omit<FleetServerOptions, 'world' | 'store' | 'instance'>>

/** An aggregator and a server behind it, joined without sockets. Both versions of the lighthouse are assigned to it. */
export async function startPair(
  seed: string,
  { front = {}, behind = {} }: { readonly front?: Options; readonly behind?: Options } = {},
): Promise<Pair> {
  const simulation = new Simulation(seed)
  const asked: string[] = []
  const pair = { cut: false }
  const toAggregator: Transport = (request) => {
    if (pair.cut) throw new OutboundError('connect: no route')
    // The mirror asks, too.
    if (request.headers['user-agent'] === 'strata-aggregated')
      asked.push(`${request.method} ${request.target}`)
    const headers = { ...request.headers, authorization: `Bearer ${adminToken}` }
    return aggregator.handle({ ...request, headers })
  }
  const aggregated = createFleetServer({
    ...{
      world: simulation.process('behind'),
      store: createMemoryStore(new MemoryData()),
      instance: 'behind',
    },
    aggregated: { aggregator: toAggregator, trust: pairTrust },
    ...behind,
  })
  const toAggregated: Remote = ({ method, url, headers, body, signal }) => {
    if (pair.cut) throw new OutboundError('connect: no route')
    const { pathname, search } = new URL(url)
    assert.ok(body === undefined || body instanceof Uint8Array)
    // What the listener says of the proxy certificate.
    const peer = { anchor: 'request-header', commonName: proxyName, organizations: [] }
    return aggregated.handle({
      method,
      target: `${pathname}${search}`,
      headers,
      body,
      signal,
      peer,
    } as HttpRequest)
  }
  const aggregator: StrataServer = createFleetServer({
    ...{ world: simulation.process('front'), store: createMemoryStore(new MemoryData()), instance: 'front' },
    ...{
      apiServices: true,
      hasLighthouse: false,
      aggregation: { remote: toAggregated, resolveService: () => 'https://behind:1' },
    },
    ...front,
  })
  await simulation.settle(Promise.all([aggregated, aggregator].map((each) => each.start(never))))
  const send: Pair['send'] = (...args) => simulation.settle(call(aggregator.handle, ...args))
  const pass = (ms: number): Promise<void> =>
    simulation.settle(sleep(simulation.process('time').clock, ms, never))
  for (const version of ['v1', 'v2']) {
    const { status } = await send('POST', '/apis/apiregistration.k8s.io/v1/apiservices', apiService(version))
    assert.equal(status, 201)
  }
  await pass(5_000)
  return Object.assign(pair, {
    ...{ simulation, aggregator, aggregated, asked, send, pass },
    sendBehind: (...args: Parameters<Pair['send']>) => simulation.settle(call(aggregated.handle, ...args)),
  })
}

const apiService = (version: string) => ({
  ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  metadata: { name: `${version}.lighthouse.example.dev` },
  spec: {
    ...{ group: 'lighthouse.example.dev', version, groupPriorityMinimum: 1_000, versionPriority: 10 },
    service: { namespace: 'shop', name: 'api' },
  },
})
