import { createClient, createFailoverTransport } from '@strata/client'
import type { ResumePoint } from '@strata/controllers'
import { type Change, MemoryData } from '@strata/server/store'
import { chance, integer, pick, sleep, type Transport } from '@strata/world'
import { createSimNetwork, type SimNetwork, type SimProcess, Simulation } from '@strata/world/sim'
import { adminToken } from '../../support/fleet.ts'
import { bendMirror } from '../aggregated/bent-mirror.ts'
import { buoyResource } from '../aggregated/buoys.ts'
import { MirrorWay, ofMirror } from '../aggregated/mirror-way.ts'
import { aggregatorOptions, createOrigin, type Origin } from '../aggregated/origin.ts'
import { startOriginUsers } from '../aggregated/origin-users.ts'
import { createHistory, type History } from '../history.ts'
import { agreementPrefix, exampleRecord } from '../keys.ts'
import type { RealStore } from '../real-stores/real-store.ts'
import type { Sabotage } from '../sabotage.ts'
import { runAsker } from './asker.ts'
import { bendWay } from './bent-way.ts'
import { runCensusTaker } from './census-taker.ts'
import { Client } from './client.ts'
import { startControllers } from './controllers.ts'
import { Definer } from './definer.ts'
import { Disturbances } from './disturbances.ts'
import { Fleet, type StoreTap } from './fleet.ts'
import { runForeignServer } from './foreign-server.ts'
import { KeyFiles, worldKeys, worldKeysWithKms } from './key-files.ts'
import { KeyKeeper } from './key-keeper.ts'
import { SimulatedKms } from './kms.ts'
import { LaggingWatches } from './lagging-watches.ts'
import { everyResourceIn, migratedIn, runMigrator } from './migrator.ts'
import { noteMigrationWrites } from './note-migration-writes.ts'
import { type Collection, collectionsOf } from './objects.ts'
import { agreedViews, type OnlookerParts, runOnlooker } from './onlooker.ts'
import { Restoring } from './restored-watches.ts'
import { chooseShape, fastestClock, partsOf, type Shape } from './shape.ts'
import { runWallClockCollector } from './wall-clock-collector.ts'
import { Watcher } from './watcher.ts'
import { createWeather, type Weather } from './weather.ts'

export interface WorldOptions {
  readonly seed: string
  readonly shape?: Partial<Shape>
  readonly sabotage?: Sabotage | undefined
  readonly onTraceLine?: (line: string) => void
  readonly tap?: StoreTap
  /** In place of the memory, and of the simulated way to it. */
  readonly real?: RealStore | undefined
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
  readonly restoring: Restoring
  readonly lagging: LaggingWatches
  /** The fleets behind this one, each with its store. */
  readonly origins: readonly Origin[]
  /** How those fleets reach this one, to show what they have agreed on. */
  readonly mirrorWay: MirrorWay
  /** Set if stored objects are encrypted. */
  readonly files: KeyFiles | undefined
  /** The controllers as they are now. */
  readonly controllers: () => readonly SimProcess[]
  /** They, and the clients. */
  readonly others: () => readonly SimProcess[]
  /** Whether the record, by default that of the example kind, has an entry of the process. */
  isListed(process: string, record?: string): boolean
  startForeigner(): SimProcess
  stopClients(): void
  stopDefiners(): void
  stopKeyKeepers(): void
  /** A way to some server that is alive, or was. */
  anyServer(from: SimProcess): Transport
}

/** There is little to migrate in so small a world; the migrator takes its time, so that something happens meanwhile. */
function slowly(process: SimProcess, way: Transport): Transport {
  return async (request) => {
    if (isAboutObjects.test(request.target)) {
      await sleep(process.clock, integer(process.random, 1_500), request.signal)
    }
    return way(request)
  }
}

const isAboutObjects =
  /\/(beacons|configmaps|resourcequotas|gadgets|gizmos|gears|buoys|storagereencodes|storagecensuses)([/?]|$)/

/** What every file says at first: some begin without a key. */
function firstKeys(simulation: Simulation, { kms }: Shape): readonly string[] {
  const random = simulation.fork('first key')
  // Most often the KMS itself: else its rotations would change nothing for most of the time.
  return [kms && chance(random, 0.6) ? worldKeysWithKms[0] : pick(random, kms ? worldKeysWithKms : worldKeys)]
}

export function createWorld({ seed, shape: fixed, sabotage, onTraceLine, tap, real }: WorldOptions): World {
  const traced = { keepLines: 0, ...(onTraceLine ? { onLine: onTraceLine } : {}) }
  const simulation = real?.createSimulation(seed, traced) ?? new Simulation(seed, traced)
  // A broken rule is missed where it is used; what else happens only makes the search longer.
  const meant = sabotage
    ? {
        definitions: false,
        migrations: 'none' as const,
        censuses: false,
        ...{ keys: false, kms: false },
        ...{
          watchers: 0,
          patches: false,
          statuses: false,
          lateCommits: 0,
          gatesChange: false,
          expectedServers: 0,
        },
        ...{ coordinatedDiscovery: false, restores: 0, aggregated: 0 },
        collectors: 'controllers' as const,
        parts: partsOf.report,
        rollsForms: false,
        ...sabotage.shape,
      }
    : {}
  const shape = chooseShape(simulation.fork('shape'), { ...meant, ...real?.shape, ...fixed })
  simulation.trace('shape', { ...shape })
  const history = createHistory(
    {
      leaseDurationMs: 1000 * shape.leaseDurationSeconds,
      renewIntervalMs: 1000 * shape.renewIntervalSeconds,
    },
    fastestClock,
  )
  const network = createSimNetwork(simulation)
  const weather = createWeather(network)
  weather.set('drizzle')
  const disturbances = new Disturbances(simulation, history)
  const kms = shape.keys && shape.kms ? new SimulatedKms(simulation, history) : undefined
  const files = shape.keys ? new KeyFiles(simulation, firstKeys(simulation, shape), kms) : undefined
  const opened = (change: Change): Change => files?.opened(change) ?? change
  const data =
    real?.attach({ simulation, history, disturbances, weather, opened }) ??
    new MemoryData({ revisions: shape.revisions })
  const restoring = new Restoring()
  const lagging = new LaggingWatches(simulation)
  const aggregator = { simulation, network, weather, history }
  const mirrorWay = new MirrorWay(simulation, history.counts)
  const origins: Origin[] = []
  if (shape.aggregated > 0) {
    const bentMirror = sabotage?.mirror?.()
    const aggregatorOf = (from: SimProcess): Transport => {
      const way = failover(from)
      return ofMirror(bendMirror(mirrorWay.wrap(way), bentMirror), way)
    }
    const parts = { ...aggregator, shape, disturbances, aggregatorOf }
    origins.push(createOrigin(parts), ...(shape.twoOrigins ? [createOrigin(parts, ['s'])] : []))
  }
  history.origins.push(...origins.map((each) => each.history))
  const [origin] = origins
  /** Where the service of the aggregated kind is: servers that run, or where one was. */
  const behind = (): readonly string[] => {
    const running = origins.flatMap(({ fleet }) => fleet.alive.map(({ name }) => name))
    return running.length > 0 ? running : (origin?.fleet.names ?? [])
  }
  const fleet = new Fleet({
    ...(origin
      ? { serverOptions: (process: SimProcess) => aggregatorOptions(aggregator, behind, process) }
      : {}),
    ...{
      simulation,
      network,
      data,
      history,
      shape,
      weather,
      disturbances,
      sabotage,
      tap,
      files,
      restoring,
      lagging,
      real,
    },
  })

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

  const clientBy = (transport: Transport, { clock }: SimProcess) =>
    createClient({ transport, token: adminToken, answerLimit: { clock, answerMs: 90_000 } })
  const clientOf = (process: SimProcess) => clientBy(failover(process), process)
  const resources = origin ? ([...migratedIn(shape), buoyResource] as const) : migratedIn(shape)
  const bent = (way: Transport): Transport => bendWay(way, sabotage?.migrator)
  const startCollector = () => {
    const name = 'controllers-0'
    const collector = begin(name, (process) => runWallClockCollector(process, () => anyServer(process)))
    return () => [collector]
  }
  const startPrograms = () =>
    startControllers({
      ...{ simulation, shape, data, disturbances, begin },
      wayOf: (process) => {
        const seen = { process, history, nowMs: () => simulation.nowMs }
        return slowly(process, noteMigrationWrites(bent(failover(process)), seen))
      },
    })
  // Those that migrate are programs in any case.
  const hasPrograms = shape.collectors !== 'servers' || shape.migrations === 'controllers'
  const startChosen = () => (hasPrograms ? startPrograms() : () => [])
  const controllers = sabotage?.wallClockCollector ? startCollector() : startChosen()
  if (shape.migrations === 'controllers') {
    begin('asker', (process) => runAsker({ process, client: clientOf(process), resources }))
  }
  const clients: Client[] = []
  const clientProcesses = Array.from({ length: shape.clients }, (_, index) =>
    begin(`client-${index}`, (process) => {
      const client = new Client({
        process,
        network,
        history,
        collections: collectionsOf(shape),
        served: shape.releases.served,
        serverNames: () => fleet.names,
        nowMs: () => simulation.nowMs,
        revision: () => data.revision,
        patches: shape.patches,
        statuses: shape.statuses,
        restMs: shape.clientRestMs ?? 200 + integer(process.random, 600),
      })
      clients.push(client)
      return client.run()
    }),
  )
  const users = origin
    ? startOriginUsers({
        ...{ simulation, network, shape, origin, begin, anyServer, clientBy, sabotage: sabotage?.migrator },
        serverNames: () => fleet.names,
        migratorWay: (process) => slowly(process, bent(failover(process))),
      })
    : []
  const look = (name: string, how: Pick<OnlookerParts, 'views' | 'leastRestMs' | 'restMs'>): SimProcess =>
    begin(name, (process) =>
      runOnlooker({
        ...{ process, network, history, serverNames: () => fleet.names, served: shape.releases.served },
        ...{ nowMs: () => simulation.nowMs, revision: () => data.revision, ...how },
      }),
    )
  if (shape.clients > 0) {
    look('onlooker', { views: agreedViews, leastRestMs: 300, restMs: shape.clientRestMs ?? 1_500 })
  }
  if (shape.clients > 0 && shape.watchers > 0) {
    const followed = [...new Set(collectionsOf(shape))]
    for (let each = 0; each < shape.watchers; each++) {
      const collection = pick(
        simulation.fork(`watched by ${each}`),
        followed as [Collection, ...Collection[]],
      )
      begin(`watcher-${each}`, (process) =>
        new Watcher({
          ...{ process, network, history, collection, served: shape.releases.served },
          ...{ serverNames: () => fleet.names, nowMs: () => simulation.nowMs, revision: () => data.revision },
        }).run(),
      )
    }
  }
  // What is wrongly claimed is claimed for a few moments.
  if (shape.coordinatedDiscovery) {
    look('discovery-onlooker', { views: ['consistent'], leastRestMs: 1, restMs: 30 })
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
      const transport = slowly(process, bent(failover(process)))
      return runMigrator({
        ...{ process, history, notebook, nowMs: () => simulation.nowMs, sabotage: sabotage?.migrator },
        ...{ transport, client: clientBy(transport, process), ways: shape.migrations },
        resources: migratedIn(shape),
      })
    })
    const random = simulation.fork('end of the migrator')
    simulation.schedule(5_000 + integer(random, 40_000), 'kill -9', () => {
      migrator.crash()
      startMigrator(notebook)
    })
  }
  history.isEncrypted = files !== undefined
  // Where keys change, who touches an object brings it under another one.
  history.isMigrated = shape.migrations !== 'none' || shape.keys
  if (shape.migrations !== 'none' && shape.migrations !== 'controllers') startMigrator()
  if (shape.censuses) {
    begin('census-taker', (process) =>
      runCensusTaker({ process, client: clientOf(process), resources: migratedIn(shape) }),
    )
  }
  const keepers: KeyKeeper[] = []
  const [firstInstance = '', ...otherInstances] = shape.instances
  if (files && shape.clients > 0) {
    begin('key-keeper', (process) => {
      const transport = failover(process)
      const definer = new Definer({
        ...{ process, network, serverNames: () => fleet.names, restMs: 0, firstMark: 10_000 },
      })
      if (shape.definitions) definers.push(definer)
      const keeper = new KeyKeeper({
        ...(shape.definitions ? { bringNew: () => definer.bringNew() } : {}),
        ...{ process, history, notebook: new Map(), nowMs: () => simulation.nowMs, files, transport },
        ...{ client: clientBy(transport, process), ways: 'both' as const },
        resources: everyResourceIn(shape),
        instances: [firstInstance, ...otherInstances],
      })
      keepers.push(keeper)
      return keeper.run()
    })
  }
  kms?.trouble([firstInstance, ...otherInstances])
  const startForeigner = (): SimProcess =>
    begin('foreign', (process) =>
      runForeignServer(process, () => anyServer(process), {
        durationSeconds: shape.leaseDurationSeconds,
        renewSeconds: shape.renewIntervalSeconds,
      }),
    )
  const isListed = (process: string, record = exampleRecord): boolean => {
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
      controllers,
      anyServer,
      isListed,
      restoring,
      lagging,
      files,
      origins,
      mirrorWay,
    },
    others: () => [...controllers(), ...clientProcesses],
    stopClients: () => {
      for (const each of [...clients, ...users]) each.stop()
    },
    stopKeyKeepers: () => {
      for (const keeper of keepers) keeper.stop()
      kms?.end()
    },
    stopDefiners: () => {
      for (const definer of definers) definer.stop()
    },
  }
}
