import { createClient } from '@strata/client'
import {
  type ControllersOptions,
  controllersLeaseName,
  migratorLeaseName,
  runControllers,
} from '@strata/controllers'
import { triggerLeaseName } from '@strata/insight'
import { leaseKind } from '@strata/server'
import type { MemoryData } from '@strata/server/store'
import { chance, integer, pick, type Transport } from '@strata/world'
import type { SimProcess, Simulation } from '@strata/world/sim'
import { adminToken } from '../../support/fleet.ts'
import { leasePrefix } from '../keys.ts'
import type { Disturbances } from './disturbances.ts'
import { impatience } from './migrator.ts'
import type { Shape } from './shape.ts'

const watching: ControllersOptions = { controllers: ['identity-lease-collector', 'storage-version-gc'] }

const longestFreezeMs = 30_000

/** The same, and those who ask for migrations and bring them to an end; as impatient as a world of minutes needs it. */
const migrating: ControllersOptions = {
  controllers: [
    ...(watching.controllers ?? []),
    ...['storage-version-migration-trigger', 'storage-version-migrator'],
  ],
  trigger: { periodMs: 10_000, equalPolls: 1, retryMaxMs: 10_000 },
  migrationLimits: impatience,
  leaderElection: { leaseDurationMs: 8_000, renewDeadlineMs: 5_000, retryPeriodMs: 1_000 },
}

export interface ControllersParts {
  readonly simulation: Simulation
  readonly shape: Shape
  readonly data: MemoryData
  readonly disturbances: Disturbances
  readonly begin: (name: string, main: (process: SimProcess) => Promise<void>) => SimProcess
  readonly wayOf: (process: SimProcess) => Transport
}

const names = ['controllers-0', 'controllers-1'] as const

/**
 * Two, of which one leads, be it for each part another one: the other takes over when the first is frozen, cut off from the
 * servers, or killed. Who is asked for later may be another process, for what was killed comes back as a new one.
 */
export function startControllers(parts: ControllersParts): () => readonly SimProcess[] {
  const { simulation, shape, data, disturbances, begin, wayOf } = parts
  const isMigrating = shape.migrations === 'controllers'
  const start = (name: string): SimProcess =>
    begin(name, (process) =>
      runControllers({
        world: process,
        client: createClient({
          ...{ transport: wayOf(process), token: adminToken },
          answerLimit: { clock: process.clock, answerMs: 90_000 },
        }),
        options: isMigrating ? migrating : watching,
        signal: new AbortController().signal,
      }),
    )
  const running = new Map(names.map((name) => [name, start(name)]))
  if (isMigrating) {
    const random = simulation.fork('end of the controllers')
    /** Freezes the leader of one Lease until another process leads. When it thaws, it goes on with the work that it had begun. */
    const freeze = (): void => {
      const lease = pick(random, [controllersLeaseName, triggerLeaseName, migratorLeaseName])
      const leader = leaderOf(data, lease)
      const process = [...running.values()].find(({ processes }) =>
        leader?.startsWith(`${processes.hostname}_`),
      )
      if (!process) return
      disturbances.freeze(process)
      const endMs = simulation.nowMs + longestFreezeMs
      const look = (): void => {
        const isWaiting = leaderOf(data, lease) === leader && simulation.nowMs < endMs
        if (isWaiting) simulation.schedule(200, 'look who leads', look)
        else simulation.schedule(integer(random, 4_000), 'thaw', () => disturbances.thaw(process))
      }
      look()
    }
    /** Kills one controller process, or sometimes both, in the middle of their work. */
    const kill = (): void => {
      for (const name of chance(random, 0.3) ? names : [pick(random, names)]) {
        const process = running.get(name)
        // Otherwise no world would show what it does when it thaws.
        if (process?.frozen) continue
        process?.crash()
        simulation.schedule(integer(random, 6_000), 'restart', () => running.set(name, start(name)))
      }
    }
    const strike = (): void => {
      // The leader has to watch a Lease for its whole duration to know that it is not renewed.
      if (simulation.nowMs > shape.troubleMs) return
      if (chance(random, 0.5)) freeze()
      else kill()
      simulation.schedule(10_000 + integer(random, 50_000), 'strike the controllers', strike)
    }
    simulation.schedule(10_000 + integer(random, 40_000), 'strike the controllers', strike)
  }
  return () => [...running.values()]
}

function leaderOf(data: MemoryData, lease: string): string | undefined {
  const [entry] = data.read([`${leasePrefix}${lease}`]).entries
  return entry && leaseKind.decode(entry).spec?.holderIdentity
}
