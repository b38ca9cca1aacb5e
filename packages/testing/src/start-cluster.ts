import { createClient } from '@strata/client'
import { chosenControllers, runControllers } from '@strata/controllers'
import { coordinationDefaults, createServer, createWebhookClient, serverId } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { silentLog, type World } from '@strata/world'
import { createNodeOutbound, createNodeWorld } from '@strata/world/node'
import { applyManifests } from './apply-manifests.ts'
import { takeBaseline, writesBack } from './baseline.ts'
import type { Cluster, ClusterOptions, RequestsAs } from './cluster.ts'
import { fetchBy } from './fetch.ts'
import { refuseUnknownOptions } from './known-options.ts'
import { createEndpointFiles, openEndpoint, removeEndpointFiles } from './open-endpoint.ts'
import { parseManifests, readManifests } from './read-manifests.ts'
import { viewOfRelease } from './release-view.ts'
import { SteeredClock } from './steered-clock.ts'
import { Users } from './users.ts'

/** Namespaces end, dependents go with their owners, and every namespace has its default service account. */
const usualControllers = [
  'clusterrole-aggregation',
  'garbage-collector',
  'namespace-lifecycle',
  'service-account',
]

/** How long requests under way may take when the cluster stops. */
const drainMs = 1_000

/**
 * Starts one API server in this process, with its own store in memory. Clusters share nothing: start as many as there are tests.
 * Call `stop`, or declare it with `await using`.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  refuseUnknownOptions(options)
  const controllers = chosenControllers(choice(options.controllers))
  const parts = await createParts(options)
  try {
    return await startParts(parts, controllers, options)
  } catch (error) {
    // Otherwise the server's timers would keep the test process alive.
    await stopParts(parts)
    throw error
  }
}

type Parts = Awaited<ReturnType<typeof createParts>>

async function createParts(options: ClusterOptions) {
  const { log = silentLog, listen, kubernetesVersion, resources, conversions, release } = options
  const { clock: realClock, ...realWorld } = createNodeWorld({ log })
  const time = new SteeredClock(realClock, startOf(options))
  if (options.time?.frozen) time.freeze()
  const world: World = { ...realWorld, clock: time }
  const view = kubernetesVersion === undefined ? undefined : await viewOfRelease(kubernetesVersion)
  // Clients compare the certificates with the time of their machine.
  const files = listen ? await createEndpointFiles({ ...world, clock: realClock }) : undefined
  const users = new Users(world.random, files?.credentials.adminToken)
  const outbound = createNodeOutbound()
  const data = new MemoryData()
  const server = createServer({
    ...{ world, resources, conversions, release, tokens: users.lookup },
    ...{ version: view?.version, runtimeConfig: view?.runtimeConfig },
    store: createMemoryStore(data),
    webhooks: createWebhookClient({ clock: world.clock, outbound: outbound.send }),
    coordination: { ...coordinationDefaults, serverID: serverId(world.processes.hostname, 'testing') },
  })
  const running = new AbortController()
  const background: Promise<unknown>[] = []
  const onStop: (() => Promise<void>)[] = [async () => outbound.close()]
  if (files) onStop.push(() => removeEndpointFiles(files))
  return { world, time, files, users, data, server, running, background, onStop }
}

async function startParts(
  parts: Parts,
  controllers: readonly string[],
  options: ClusterOptions,
): Promise<Cluster> {
  const { world, time, files, users, data, server, background } = parts
  const { signal } = parts.running
  await server.start(signal)
  const requestsBy = (token: string): RequestsAs => ({
    client: createClient({ transport: server.handle, token, userAgent: 'strata-testing' }),
    fetch: fetchBy(server.handle, token),
  })
  const admin = requestsBy(users.admin)
  const { client } = admin
  if (options.crds !== undefined) {
    await applyManifests(client, await readManifests([options.crds].flat()), signal)
  }
  const baseline = takeBaseline(data)
  if (controllers.length > 0) {
    background.push(runControllers({ world, client, options: { controllers }, signal }))
  }
  const endpoint =
    files &&
    (await openEndpoint(server, files, typeof options.listen === 'object' ? options.listen : {}, world))
  if (endpoint) parts.onStop.unshift(endpoint.close)
  const stop = (): Promise<void> => stopParts(parts)
  return {
    ...admin,
    ...{ time, endpoint: endpoint?.endpoint, stop, [Symbol.asyncDispose]: stop },
    as: (user) => requestsBy(users.tokenOf(user)),
    apply: (manifests) => applyManifests(client, parseManifests(manifests, 'manifests'), signal),
    reset: async () => {
      for (const writes of writesBack(data, baseline)) data.commit({ writes, guards: [] })
    },
  }
}

/** Stops what was started, in any state. */
async function stopParts({ time, running, server, background, onStop }: Parts): Promise<void> {
  if (running.signal.aborted) return
  // A frozen clock would let no deadline pass.
  time.resume()
  running.abort(new Error('the cluster stops'))
  await Promise.all(background)
  await server.stop(drainMs)
  for (const each of onStop) await each()
}

function startOf({ time = {} }: ClusterOptions): number | undefined {
  if (time.startAt === undefined) return undefined
  const startMs = new Date(time.startAt).getTime()
  if (Number.isNaN(startMs))
    throw new RangeError(`time.startAt ${JSON.stringify(time.startAt)} is not a date`)
  return startMs
}

function choice(controllers: ClusterOptions['controllers'] = true): readonly string[] {
  if (controllers === true) return usualControllers
  return controllers === false ? [] : controllers
}
