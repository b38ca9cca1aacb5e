import { nodeClock } from '@strata/world/node'
import type { LoadClient } from '../load/load-client.ts'
import { sendBy } from '../load/send.ts'
import { type Estimate, estimate } from '../statistics.ts'
import { benchDefinition, pathOf } from './bench-definition.ts'
import { instance } from './bench-kinds.ts'
import { install, untilCreated, untilServed } from './definition-client.ts'

/** The measured requests, and the costs that are reported for each. */
const questions = [
  { what: 'discovery of one group', path: (apiVersion: string) => `/apis/${apiVersion}` },
  {
    what: 'discovery, aggregated',
    path: () => '/apis',
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  },
  { what: 'index of OpenAPI v3', path: () => '/openapi/v3' },
] as const

export interface Costs {
  /** In milliseconds, by what is measured. */
  readonly times: ReadonlyMap<string, Estimate>
}

const warmUpChanges = 4
const changes = 12
const warmRequests = 10

/**
 * Adds small definitions, one after the other: how long until each is served and takes an instance, and how long
 * discovery takes right after that and once it has been asked before.
 */
export async function definitionCosts(client: LoadClient, suffix: string): Promise<Costs> {
  const samples = new Map<string, number[]>()
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const startMs = nodeClock.monotonicMs()
    await work()
    const known = samples.get(what) ?? []
    samples.set(what, known)
    known.push(nodeClock.monotonicMs() - startMs)
  }
  const send = sendBy(client, 'definitions')
  for (let turn = 0; turn < warmUpChanges + changes; turn++) {
    // The first ones pay for compilation and new connections.
    if (turn === warmUpChanges) samples.clear()
    const definition = small(`probe-${turn}.${suffix}`)
    await timed('a definition, until its first instance stands', async () => {
      await timed('a definition, until it is served', async () => {
        await install(client, definition)
        await untilServed(client, definition)
      })
      await untilCreated(client, pathOf(definition), instance(definition, 'first', {}))
    })
    for (const { what, path, ...more } of questions) {
      const ask = (): Promise<unknown> =>
        send('GET', path(definition.apiVersion), undefined, 'accept' in more ? more.accept : undefined)
      await timed(`${what}, after a change`, ask)
      for (let index = 0; index < warmRequests; index++) await timed(what, ask)
    }
  }
  return { times: new Map([...samples].map(([what, values]) => [what, estimate(values)])) }
}

export function small(group: string): ReturnType<typeof benchDefinition> {
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object' } } }
  return benchDefinition({
    group,
    kind: 'Probe',
    plural: 'probes',
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
  })
}
