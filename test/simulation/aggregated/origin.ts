import { MemoryData } from '@strata/server/store'
import { chance, pick, type Remote, type Transport } from '@strata/world'
import type { SimNetwork, SimProcess, SimRandom, Simulation } from '@strata/world/sim'
import type { FleetServerOptions } from '../../support/fleet.ts'
import { createHistory, type History } from '../history.ts'
import { aggregatedRecord, agreementPrefix } from '../keys.ts'
import type { Disturbances } from '../world/disturbances.ts'
import { Fleet } from '../world/fleet.ts'
import { LaggingWatches } from '../world/lagging-watches.ts'
import { Restoring } from '../world/restored-watches.ts'
import { fastestClock, partsOf, releasePairs, type Shape } from '../world/shape.ts'
import type { Weather } from '../world/weather.ts'
import { buoys } from './buoys.ts'
import { aggregatedBy } from './delegation.ts'
import { createSimulatedRemote, serviceOrigin } from './simulated-remote.ts'

/** An aggregated fleet and its store. Its history is one of its own; faults are noted for both fleets together. */
export interface Origin {
  readonly simulation: Simulation
  readonly shape: Shape
  readonly history: History
  readonly data: MemoryData
  readonly network: SimNetwork
  readonly weather: Weather
  readonly disturbances: Disturbances
  readonly fleet: Fleet
  readonly lagging: LaggingWatches
  readonly controllers: () => readonly SimProcess[]
  /** Whether the record of the aggregated kind has an entry of the process. */
  readonly isListed: (process: string) => boolean
}

export interface OriginParts {
  readonly simulation: Simulation
  readonly network: SimNetwork
  readonly weather: Weather
  readonly disturbances: Disturbances
  /** Of the aggregator. */
  readonly shape: Shape
  readonly history: History
  /** The way of an aggregated server to the aggregator. */
  readonly aggregatorOf: (process: SimProcess) => Transport
}

/** The header that names an operation to an aggregated server. The aggregator passes it on, and has another one for its own. */
export const passedOperationHeader = 'x-simulated-passed-operation'

const instances = ['p', 'q', 'r']
const themes = ['zombies', 'zombies', 'rollouts', 'upgrades', 'anything', 'twins'] as const

/** What the fleet behind looks like: neighbouring releases between which the encoding version changes. */
export function originShape(random: SimRandom, shape: Shape, names = instances): Shape {
  const { switch: releases } = releasePairs
  return {
    ...shape,
    ...{ instances: names.slice(0, shape.aggregated), releases, aggregated: 0, kinds: 'all' },
    firstRelease: chance(random, 0.7) ? releases.older : releases.newer,
    leaseDurationSeconds: 20,
    parts: pick(random, [partsOf.report, partsOf.report, partsOf.vote, partsOf.mixed]),
    rollsForms: false,
    theme: shape.aggregatedTheme ?? pick(random, themes),
    ...{ collectors: 'servers', coordinatedDiscovery: false, expectedServers: 0, statuses: false },
    ...{ lateCommits: 0, censuses: false },
  }
}

export function createOrigin(parts: OriginParts, names = instances): Origin {
  const { simulation, network, weather, disturbances } = parts
  const random = simulation.fork('origin')
  const shape = originShape(random, parts.shape, names)
  simulation.trace('shape of the aggregated fleet', { ...shape })
  const history: History = {
    ...createHistory(
      {
        leaseDurationMs: 1000 * shape.leaseDurationSeconds,
        renewIntervalMs: 1000 * shape.renewIntervalSeconds,
      },
      fastestClock,
    ),
    // Freezes, cuts and storms are noted by process.
    disturbances: parts.history.disturbances,
    counts: parts.history.counts,
    isMigrated: true,
  }
  const data = new MemoryData({ revisions: shape.revisions })
  const lagging = new LaggingWatches(simulation)
  const fleet = new Fleet({
    ...{ simulation, network, data, history, shape, weather, disturbances, lagging },
    ...{ sabotage: undefined, tap: undefined, files: undefined, restoring: new Restoring() },
    operationHeader: passedOperationHeader,
    serverOptions: (process) => ({
      ...{ hasLighthouse: false, resources: [buoys] },
      aggregated: aggregatedBy(parts.aggregatorOf(process)),
    }),
  })
  const isListed = (process: string): boolean => {
    const [entry] = data.read([`${agreementPrefix}${aggregatedRecord}`]).entries
    return entry !== undefined && Buffer.from(entry.value).includes(process)
  }
  return {
    ...{ simulation, shape, history, data, network, weather, disturbances, fleet, lagging, isListed },
    controllers: () => [],
  }
}

/** What makes a server of the main fleet an aggregator. */
export function aggregatorOptions(
  {
    simulation,
    network,
    weather,
    history,
  }: Pick<OriginParts, 'simulation' | 'network' | 'weather' | 'history'>,
  serverNames: () => readonly string[],
  process: SimProcess,
): Partial<FleetServerOptions> {
  const remote: Remote = createSimulatedRemote({
    ...{ process, network, serverNames, counts: history.counts, faults: () => weather.proxy },
    random: simulation.fork(`proxy of ${process.name}`),
  })
  return { apiServices: true, aggregation: { remote, resolveService: () => serviceOrigin } }
}
