import { createClient, createFailoverTransport } from '@strata/client'
import { type ControllersOptions, type ResumePoint, runControllers } from '@strata/controllers'
import { MemoryData } from '@strata/server/store'
import { type HttpResponse, integer, pick, sleep, type Transport, utf8 } from '@strata/world'
import { createSimNetwork, type SimNetwork, type SimProcess, Simulation } from '@strata/world/sim'
import { adminToken } from '../../support/fleet.ts'
import { createHistory, type History } from '../history.ts'
import { agreementPrefix } from '../keys.ts'
import type { Sabotage } from '../sabotage.ts'
import { runCensusTaker } from './census-taker.ts'
import { Client } from './client.ts'
import { Definer } from './definer.ts'
import { Disturbances } from './disturbances.ts'
import { Fleet, type StoreTap } from './fleet.ts'
import { runForeignServer } from './foreign-server.ts'
import { impatience, migratedResources, runMigrator } from './migrator.ts'
import { collections, collectionsWithCustom } from './objects.ts'
import { runOnlooker } from './onlooker.ts'
import { chooseShape, fastestClock, partsOf, type Shape } from './shape.ts'
import { runWallClockCollector } from './wall-clock-collector.ts'
import { createWeather, type Weather } from './weather.ts'

export interface WorldOptions {
  readonly seed: string
  readonly shape?: Partial<Shape>
  readonly sabotage?: Sabotage | undefined
  readonly onTraceLine?: (line: string) => void
  readonly tap?: StoreTap
}

/** Everything that there is in one run: the store, the ways to it, the servers, and those who use them. */
export interface World {
  readonly simulation: Simulation
  readonly shape: Shape
  readonly history: History
  readonly data: MemoryData
  readonly network: SimNetwork
  readonly weather: Weather
  readonly disturbances: Disturbances
  readonly fleet: Fleet
  /** The controllers and the clients. */
  readonly others: readonly SimProcess[]
  /** Whether the record, that of the example kind unless told, has an entry of the process. */
  isListed(process: string, record?: string): boolean
  startForeigner(): SimProcess
  stopClients(): void
  stopDefiners(): void
  /** A way to some server that is alive, or was. */
  anyServer(from: SimProcess): Transport
}

const watchingControllers: ControllersOptions = {
  controllers: ['identity-lease-collector', 'storage-version-gc'],
}

/** The same, and those who ask for migrations and bring them to an end; as impatient as a world of minutes needs it. */
const migratingControllers: ControllersOptions = {
  controllers: [
    ...(watchingControllers.controllers ?? []),
    ...['storage-version-migration-trigger', 'storage-version-migrator'],
  ],
  trigger: { periodMs: 10_000, equalPolls: 1, retryMaxMs: 10_000 },
  migrationLimits: impatience,
}

function denial(): HttpResponse {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message: 'no',
  }
  const body = utf8.encode(JSON.stringify(status))
  return { status: 403, headers: { 'content-type': 'application/json' }, body }
}

export function createWorld({ seed, shape: fixed, sabotage, onTraceLine, tap }: WorldOptions): World {
  const simulation = new Simulation(seed, { keepLines: 0, ...(onTraceLine ? { onLine: onTraceLine } : {}) })
  // A broken rule is missed where it is used; what else happens only makes the search longer.
  const meant = sabotage
    ? {
        definitions: false,
        migrations: 'none' as const,
        censuses: false,
        parts: partsOf.report,
        rollsForms: false,
        ...sabotage.shape,
      }
    : {}
  const shape = chooseShape(simulation.fork('shape'), { ...meant, ...fixed })
  simulation.trace('shape', { ...shape })
  const history = createHistory(
    {
      leaseDurationMs: 1000 * shape.leaseDurationSeconds,
      renewIntervalMs: 1000 * shape.renewIntervalSeconds,
    },
    fastestClock,
  )
  const data = new MemoryData({ revisions: shape.revisions })
  const network = createSimNetwork(simulation)
  const weather = createWeather(network)
  weather.set('drizzle')
  const disturbances = new Disturbances(simulation, history)
  const fleet = new Fleet({ simulation, network, data, history, shape, weather, disturbances, sabotage, tap })

  const anyServer = (from: SimProcess): Transport => {
    const [first = '', ...rest] = fleet.names
    return network.connect(from, pick(from.random, [first, ...rest]))
  }
  /** Stays with the server that answers, as controllers do: half of two frozen would stop them for ever. */
  const failover = (from: SimProcess): Transport => {
    const find = (instance: string): string =>
      fleet.alive.find((member) => member.instance === instance)?.name ?? instance
    const [first = '', ...rest] = shape.instances
    const way =
      (instance: string): Transport =>
      (request) =>
        network.connect(from, find(instance))(request)
    return createFailoverTransport([way(first), ...rest.map(way)])
  }
  const begin = (name: string, main: (process: SimProcess) => Promise<void>): SimProcess => {
    const process = simulation.process(name, { host: `host-${name}` })
    process.deliver(0, 'main', () => void main(process))
    return process
  }

  // Two, of which one leads: the other takes over when the first is frozen or cut off from the servers.
  const collectors = ['controllers-0', 'controllers-1'].map((name) =>
    begin(name, (process) => {
      if (sabotage?.wallClockCollector) return runWallClockCollector(process, () => anyServer(process))
      const client = createClient({ transport: failover(process), token: adminToken })
      const options = shape.migrations === 'controllers' ? migratingControllers : watchingControllers
      return runControllers({ world: process, client, options, signal: new AbortController().signal })
    }),
  )
  const clients: Client[] = []
  const clientProcesses = Array.from({ length: shape.clients }, (_, index) =>
    begin(`client-${index}`, (process) => {
      const client = new Client({
        process,
        network,
        history,
        collections: shape.definitions ? collectionsWithCustom : collections,
        served: shape.releases.served,
        serverNames: () => fleet.names,
        nowMs: () => simulation.nowMs,
        revision: () => data.revision,
        restMs: shape.clientRestMs ?? 200 + integer(process.random, 600),
      })
      clients.push(client)
      return client.run()
    }),
  )
  if (shape.clients > 0) {
    begin('onlooker', (process) =>
      runOnlooker({
        ...{ process, network, history, serverNames: () => fleet.names, served: shape.releases.served },
        nowMs: () => simulation.nowMs,
        revision: () => data.revision,
        restMs: shape.clientRestMs ?? 1_500,
      }),
    )
  }
  const definers: Definer[] = []
  if (shape.definitions && shape.definer) {
    begin('definer', (process) => {
      const restMs = shape.definerRestMs ?? 1_000 + integer(process.random, 4_000)
      const definer = new Definer({ process, network, serverNames: () => fleet.names, restMs })
      definers.push(definer)
      return definer.run()
    })
  }
  const startMigrator = (notebook = new Map<string, ResumePoint>()): void => {
    const migrator = begin('migrator', (process) => {
      const way = failover(process)
      // There is little to migrate in so small a world; it takes its time, so that something happens meanwhile.
      const transport: Transport = async (request) => {
        await sleep(process.clock, integer(process.random, 1_500), request.signal)
        const isDenied =
          request.method !== 'GET' && sabotage?.migrator?.denied?.test(request.target.split('?')[0] ?? '')
        return isDenied ? denial() : way(request)
      }
      return runMigrator({
        ...{ process, history, notebook, nowMs: () => simulation.nowMs, sabotage: sabotage?.migrator },
        ...{ transport, client: createClient({ transport, token: adminToken }), ways: shape.migrations },
        resources: shape.definitions ? migratedResources.custom : migratedResources.built,
      })
    })
    const random = simulation.fork('end of the migrator')
    simulation.schedule(5_000 + integer(random, 40_000), 'kill -9', () => {
      migrator.crash()
      startMigrator(notebook)
    })
  }
  history.isMigrated = shape.migrations !== 'none'
  if (history.isMigrated && shape.migrations !== 'controllers') startMigrator()
  if (shape.censuses) {
    begin('census-taker', (process) =>
      runCensusTaker({
        process,
        client: createClient({ transport: failover(process), token: adminToken }),
        resources: shape.definitions ? migratedResources.custom : migratedResources.built,
      }),
    )
  }
  const startForeigner = (): SimProcess =>
    begin('foreign', (process) =>
      runForeignServer(process, () => anyServer(process), {
        durationSeconds: shape.leaseDurationSeconds,
        renewSeconds: shape.renewIntervalSeconds,
      }),
    )
  const isListed = (process: string, record = 'lighthouse.example.dev.beacons'): boolean => {
    const [entry] = data.read([`${agreementPrefix}${record}`]).entries
    return entry !== undefined && Buffer.from(entry.value).includes(process)
  }
  return {
    ...{
      simulation,
      shape,
      history,
      data,
      network,
      weather,
      disturbances,
      fleet,
      startForeigner,
      anyServer,
      isListed,
    },
    others: [...collectors, ...clientProcesses],
    stopClients: () => {
      for (const client of clients) client.stop()
    },
    stopDefiners: () => {
      for (const definer of definers) definer.stop()
    },
  }
}
