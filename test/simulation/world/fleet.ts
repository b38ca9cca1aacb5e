import { agreementName } from '@strata/api'
import { createClient } from '@strata/client'
import { runAgreementCollectors } from '@strata/controllers'
import { type Encryption, protocolRules, type StrataServer, serverId } from '@strata/server'
import {
  type Commit,
  createFaultyStore,
  type Faults,
  type FaultyStoreHooks,
  type MemoryData,
  type Store,
} from '@strata/server/store'
import { createLog, fieldsText, type Transport, type World } from '@strata/world'
import type { SimNetwork, SimProcess, Simulation } from '@strata/world/sim'
import {
  fewKinds,
  fewKindsElsewhere,
  fewKindsMigrated,
  withApiServices,
  withQuotas,
} from '../../support/few-kinds.ts'
import { adminToken, createFleetServer, type FleetServerOptions } from '../../support/fleet.ts'
import { count, countDecisions } from '../coverage.ts'
import type { History, ServerRun } from '../history.ts'
import { exampleRecord } from '../keys.ts'
import type { RealStore } from '../real-stores/real-store.ts'
import { createRecordingStore } from '../recording-store.ts'
import type { Sabotage } from '../sabotage.ts'
import type { Disturbances } from './disturbances.ts'
import { followKeyFile, noteUnopened } from './follow-key-file.ts'
import type { KeyFiles } from './key-files.ts'
import type { LaggingWatches } from './lagging-watches.ts'
import { RestoredAnswers } from './restored-answers.ts'
import { breakWatchesAtRestore, compareLastTold, type Restoring } from './restored-watches.ts'
import { type Part, partOf, type Shape } from './shape.ts'
import type { Weather } from './weather.ts'

/** One run of one server, with what the operator has in hand. */
export interface Member {
  /** Where clients find it. A twin has a name of its own but the instance, and so the identity, of another. */
  readonly name: string
  readonly instance: string
  readonly release: string
  readonly part: Part
  readonly process: SimProcess
  readonly server: StrataServer
  readonly run: ServerRun
  leaving: boolean
  /** Aborted when it is to collect no more. */
  readonly collecting: AbortController
}

/** Stands on both sides of the way between a process and the store. */
export interface StoreTap {
  wrap(process: SimProcess, store: Store): Store
  hooks(process: SimProcess): FaultyStoreHooks
}

export interface FleetParts {
  readonly simulation: Simulation
  readonly network: SimNetwork
  readonly data: MemoryData
  readonly history: History
  readonly shape: Shape
  readonly weather: Weather
  readonly disturbances: Disturbances
  readonly sabotage: Sabotage | undefined
  readonly tap: StoreTap | undefined
  readonly restoring: Restoring
  readonly lagging: LaggingWatches
  /** Where anything is encrypted. */
  readonly files: KeyFiles | undefined
  /** In place of the memory, and of the simulated way to it. */
  readonly real?: RealStore | undefined
  /** What else a server gets. */
  readonly serverOptions?: (process: SimProcess) => Partial<FleetServerOptions>
  /** The header that names an operation to a server of this fleet. */
  readonly operationHeader?: string
}

/** The header that names an operation to the server that handles it. */
export const operationHeader = 'x-simulated-operation'

/** A new one each time: a listener on one that all worlds share would keep its world in memory. */
const never = (): AbortSignal => new AbortController().signal

function kindsOf({ migrations, statuses, aggregated }: Shape) {
  const kinds = kindsFor(migrations)
  const more = statuses ? withQuotas(kinds) : kinds
  return aggregated > 0 ? withApiServices(more) : more
}

function kindsFor(migrations: Shape['migrations']) {
  if (migrations === 'engine') return fewKindsElsewhere
  return migrations === 'controllers' ? fewKindsMigrated : fewKinds
}

/** Starts and stops servers, as an operator or an init system does. */
export class Fleet {
  readonly #parts: FleetParts
  readonly #members = new Map<string, Member>()

  constructor(parts: FleetParts) {
    this.#parts = parts
  }

  /** Where clients look for servers: where one is, or, while everything is down, where one was. */
  get names(): readonly string[] {
    const alive = this.alive.map(({ name }) => name)
    return alive.length > 0 ? alive : this.#parts.shape.instances
  }

  /** Those whose process runs, or is frozen. */
  get alive(): readonly Member[] {
    return [...this.#members.values()].filter(({ process }) => !process.crashed)
  }

  member(name: string): Member | undefined {
    const member = this.#members.get(name)
    return member?.process.crashed ? undefined : member
  }

  /** Takes part as given, or by default as the shape says. */
  start(name: string, instance: string, release: string, given?: Part): Member {
    const { simulation, network, shape, sabotage, history, files } = this.#parts
    const part = given ?? partOf(shape, instance)
    const host = shape.oneHost ? 'host' : `host-${instance}`
    const process = simulation.process(name, { host, cannotTell: shape.cannotTell })
    const plain = this.#worldOf(process)
    const world = sabotage?.wrapWorld?.(plain) ?? plain
    const encryption = files?.encryptionOf(files.fileOf(name, instance), world)
    const server: StrataServer = createFleetServer({
      world,
      store: this.#connect(
        process,
        part,
        serverId(host, instance),
        () => server.coordinator.identity.process,
      ),
      instance,
      release,
      ...(shape.kinds === 'few' ? { builtInResources: kindsOf(shape) } : {}),
      expectedServers: shape.expectedServers,
      form: part.form,
      guarantee: part.guarantee,
      featureGates: {
        StorageVersionAPI: part.records !== false,
        APIServerIdentity: part.identity !== false,
        EnableCoordinatedDiscoveryDocument: shape.coordinatedDiscovery && part.identity !== false,
      },
      leaseDurationSeconds: shape.leaseDurationSeconds,
      renewIntervalSeconds: shape.renewIntervalSeconds,
      rules: countDecisions(sabotage?.rules ?? protocolRules, history.counts),
      ...(encryption ? { encryption } : {}),
      ...this.#parts.serverOptions?.(process),
    })
    const { serverID, process: identity } = server.coordinator.identity
    const run: ServerRun = {
      ...{ writer: process.id, serverID, process: identity, release, part, encodingTimesMs: [] },
    }
    history.runs.push(run)
    const member: Member = {
      name,
      instance,
      release,
      part,
      process,
      server,
      run,
      leaving: false,
      collecting: new AbortController(),
    }
    this.#members.set(name, member)
    process.onCrash(() => {
      run.endedMs = simulation.nowMs
    })
    server.coordinator.onEncodingVersion((resource) => {
      if (agreementName(resource) !== exampleRecord) return
      run.toldMs ??= simulation.nowMs
      run.encodingTimesMs.push(simulation.nowMs)
    })
    // A server that may never write again ends, as its main program does.
    const end = (): void => process.clock.soon(() => process.crash())
    server.coordinator.onFatal = end
    if (encryption) this.#follow(member, encryption)
    // It listens before it is registered, as a real one does behind its readiness.
    network.listen(
      name,
      process,
      this.#noting(process.id, sabotage?.wrapHandle?.(server.handle) ?? server.handle),
    )
    if (shape.collectors !== 'controllers') this.#collect(member)
    process.deliver(0, 'main', () => {
      server.start(new AbortController().signal).catch((error: unknown) => {
        if (member.leaving) return
        process.log.warn('could not start', { error: String(error) })
        end()
      })
    })
    return member
  }

  /** As `strata serve` does, by asking itself. */
  #collect({ process, server, part, collecting }: Member): void {
    if (part.records === false || part.identity === false) return
    const client = createClient({ transport: server.handle, token: adminToken })
    process.deliver(0, 'collectors', () => {
      void runAgreementCollectors({ world: process, client, signal: collecting.signal })
    })
  }

  /** --encryption-provider-config-automatic-reload */
  #follow({ process, server, name, instance }: Member, encryption: Encryption): void {
    const { files, history, data, simulation, sabotage } = this.#parts
    if (!files) return
    const seen = { process, history, data, nowMs: () => simulation.nowMs }
    noteUnopened(encryption, seen)
    const reload =
      sabotage?.keys?.reload ?? ((configuration) => server.reloadEncryption(configuration, never()))
    const read = () => files.of(files.fileOf(name, instance))
    process.deliver(0, 'keys', () => void followKeyFile({ ...seen, encryption, read, reload }))
  }

  /** SIGTERM: leave last (agreement.md, rule 7), then end. */
  stop(member: Member, drainMs = 20_000): void {
    if (member.leaving || member.process.crashed) return
    member.leaving = true
    const { process, server, run, collecting } = member
    process.deliver(0, 'SIGTERM', () => {
      collecting.abort(new Error('the server is shutting down'))
      run.leavingMs = this.#parts.simulation.nowMs
      void server.stop(drainMs).then(() => process.crash())
    })
  }

  /** The process, with an ear on its log: a server that logs an error says that something must not have been. */
  #worldOf({ id, clock, random, processes, log }: SimProcess): World {
    const { history, simulation, real } = this.#parts
    const noticing = createLog((level, message, fields) => {
      log[level](message, fields)
      // That a real disk fails is what happens there, and a server has to say so.
      if (level !== 'error' || (real && fields?.fault !== undefined)) return
      if (history.restores.length > 0 && message.startsWith('the store was restored')) {
        history.restoresNoticed.push({ atMs: simulation.nowMs, writer: id })
        return count(history.counts, 'server: notices a restore')
      }
      history.bugs.push({ atMs: simulation.nowMs, text: `${message} ${fieldsText(fields)}` })
    })
    return { clock, random, processes, log: noticing }
  }

  /** Rule 14 promises nothing of what a loose server has on its way for longer than it waits. */
  #faultsOf({ guarantee }: Part): Faults {
    const { weather, shape } = this.#parts
    const latestMs = guarantee === 'loose' ? 8_000 : undefined
    // Looked at anew for each request: the weather changes.
    return new Proxy(weather.store, {
      get: (faults, name: keyof Faults) => {
        if (name === 'commitLate') return faults.commitLate * shape.lateCommits
        return name === 'latestMs' ? (latestMs ?? faults.latestMs) : faults[name]
      },
    })
  }

  #connect(process: SimProcess, part: Part, serverID: string, identity: () => string): Store {
    const { simulation, sabotage, tap, real } = this.#parts
    const store =
      real?.connect(process, this.#faultsOf(part), sabotage?.wrapStore) ??
      this.#connectToMemory(process, part)
    const connected = {
      serverID,
      process: identity,
      later: (delayMs: number, act: () => void) => void simulation.clock.after(delayMs, act),
    }
    const connection = sabotage?.wrapConnection?.(store, connected) ?? store
    return tap?.wrap(process, connection) ?? connection
  }

  #connectToMemory(process: SimProcess, part: Part): Store {
    const { simulation, data, history, weather, disturbances, sabotage, tap, files, restoring, lagging } =
      this.#parts
    const sent = new WeakMap<Commit, number>()
    const recording = createRecordingStore(
      data,
      process.id,
      () => simulation.nowMs,
      (commit) => history.commits.push(commit),
      files && ((change) => files.opened(change)),
      (commit) => sent.get(commit) ?? simulation.nowMs,
    )
    const answers = new RestoredAnswers(process.id, history, () => simulation.nowMs)
    const restored = lagging.wrap(
      process.id,
      breakWatchesAtRestore(answers.sent(recording), history, restoring),
    )
    const store = createFaultyStore(sabotage?.wrapStore?.(restored) ?? restored, {
      network: simulation.clock,
      local: process.clock,
      random: simulation.fork(`store of ${process.name}`),
      faults: this.#faultsOf(part),
      onLate: (lateMs) => {
        count(history.counts, `fault: commit late by ${lateMs < 10_000 ? 'less' : 'more'} than 10 s`)
        weather.noteLate(simulation.nowMs + lateMs)
      },
      partitioned: () => disturbances.isCutOff(process.id),
      timeoutMs: 4_000,
      ...(tap ? { hooks: tap.hooks(process) } : {}),
    })
    const received = answers.received(store)
    return {
      ...compareLastTold(received, history, (batch) => answers.timelineOf(batch)),
      commit: (commit, signal) => {
        sent.set(commit, simulation.nowMs)
        return received.commit(commit, signal)
      },
    }
  }

  /** Notes in which process an operation was carried out: after a restart the name alone does not tell. */
  #noting(writer: string, handle: Transport): Transport {
    const { history, operationHeader: name = operationHeader } = this.#parts
    return (request) => {
      const header = request.headers[name]
      const id = header === undefined ? undefined : String(header)
      if (id?.startsWith('seen-')) history.observations[Number(id.slice(5))]?.servedBy.add(writer)
      else if (id !== undefined) history.operations[Number(id)]?.servedBy.add(writer)
      return handle(request)
    }
  }
}
