import type { Client as ApiClient } from '@strata/client'
import type { ResumePoint } from '@strata/controllers'
import { integer, type Transport } from '@strata/world'
import type { SimNetwork, SimProcess, Simulation } from '@strata/world/sim'
import { Client } from '../world/client.ts'
import { type MigratorSabotage, runMigrator } from '../world/migrator.ts'
import { buoyCollection } from '../world/objects.ts'
import { releasePairs, type Shape } from '../world/shape.ts'
import { Watcher } from '../world/watcher.ts'
import { buoyResource } from './buoys.ts'
import { type Origin, passedOperationHeader } from './origin.ts'
import { registerServices } from './register-services.ts'

export interface OriginUsersParts {
  readonly simulation: Simulation
  readonly network: SimNetwork
  /** Of the aggregator. */
  readonly shape: Shape
  readonly serverNames: () => readonly string[]
  readonly origin: Origin
  readonly sabotage: MigratorSabotage | undefined
  readonly begin: (name: string, main: (process: SimProcess) => Promise<void>) => SimProcess
  /** To some server of the aggregator. */
  readonly anyServer: (from: SimProcess) => Transport
  /** The way of whoever migrates, and what speaks on it. */
  readonly migratorWay: (from: SimProcess) => Transport
  readonly clientBy: (transport: Transport, process: SimProcess) => ApiClient
}

const { served } = releasePairs.switch

/** Those who use the aggregated kind, all through the aggregator. */
export function startOriginUsers(parts: OriginUsersParts): readonly { stop(): void }[] {
  const { simulation, network, shape, serverNames, origin, begin, anyServer } = parts
  const { history, data } = origin
  const seen = { network, history, served, serverNames, nowMs: () => simulation.nowMs }
  const revision = (): number => data.revision
  begin('registrar', (process) => registerServices(process, () => anyServer(process), served))
  const clients: Client[] = []
  for (let each = 0; each < Math.min(shape.clients, 2); each++) {
    begin(`buoy-client-${each}`, (process) => {
      const restMs = shape.clientRestMs ?? 300 + integer(process.random, 900)
      const client = new Client({
        ...{ ...seen, process, revision, restMs, collections: [buoyCollection], patches: shape.patches },
        ...{ statuses: false, operationHeader: passedOperationHeader, isPassedOn: true },
      })
      clients.push(client)
      return client.run()
    })
  }
  if (shape.clients > 0 && shape.watchers > 0) {
    begin('buoy-watcher', (process) =>
      new Watcher({ ...seen, process, revision, collection: buoyCollection }).run(),
    )
  }
  if (shape.clients > 0 && shape.migrations !== 'none' && shape.migrations !== 'controllers') {
    keepMigrating(parts)
  }
  return [
    {
      stop: () => {
        for (const client of clients) client.stop()
      },
    },
  ]
}

/** Killed now and then; another one goes on where it was. */
function keepMigrating(parts: OriginUsersParts, notebook = new Map<string, ResumePoint>()): void {
  const { simulation, shape, origin, sabotage, begin, migratorWay, clientBy } = parts
  const { history } = origin
  const migrator = begin('buoy-migrator', (process) => {
    const transport = migratorWay(process)
    return runMigrator({
      ...{ process, history, notebook, nowMs: () => simulation.nowMs, sabotage, ways: shape.migrations },
      ...{ transport, client: clientBy(transport, process), resources: [buoyResource] },
    })
  })
  const random = simulation.fork('end of the buoy migrator')
  simulation.schedule(5_000 + integer(random, 40_000), 'kill -9', () => {
    migrator.crash()
    keepMigrating(parts, notebook)
  })
}
