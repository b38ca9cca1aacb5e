import { createMemoryStore, MemoryData } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { type Answer, call, createFleetServer, type FleetServerOptions } from './fleet.ts'

const never = new AbortController().signal

/** One server over a store in memory, in a world of its own. */
export async function startServer(
  seed: string,
  {
    data = new MemoryData(),
    ...options
  }: Pick<
    FleetServerOptions,
    | 'aggregated'
    | 'allowUndecodableStorage'
    | 'audit'
    | 'apiServices'
    | 'bootstrapPolicy'
    | 'conversions'
    | 'webhooks'
    | 'authorizationModes'
    | 'dashboard'
    | 'resources'
    | 'featureGates'
    | 'runtimeConfig'
  > & {
    /** The keys in the store before it starts. */
    readonly data?: MemoryData
  } = {},
) {
  const simulation = new Simulation(seed)
  const server = createFleetServer({
    world: simulation.process('a'),
    store: createMemoryStore(data),
    instance: 'a',
    release: 'x+1',
    ...options,
  })
  await simulation.settle(server.start(never))
  const send = (method: string, target: string, body?: unknown, headers = {}): Promise<Answer> =>
    simulation.settle(call(server.handle, method, target, body, headers))
  return { simulation, server, send, data }
}

export const configMap = (name: string, data: Record<string, string> = { k: 'v' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
export const maps = '/api/v1/namespaces/default/configmaps'
