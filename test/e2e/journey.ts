import assert from 'node:assert/strict'
import type { AgreementStatus } from '@strata/api'
import type { Store } from '@strata/server/store'
import { nodeClock } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { agreementPath } from '../support/fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import {
  type LoadedKind,
  type LoadedVersion,
  loadedApiVersion,
  loadedBeacons,
  loadedConfigMaps,
  loadedGadgets,
} from '../support/loaded-kind.ts'
import type { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { WriteLoad } from '../support/write-load.ts'
import { defineGadgets, storeGadgetsIn } from './gadgets.ts'
import { forms, needsRewriting, releases, type Station, sharedVersions } from './journey-plan.ts'
import { type LiveFleet, type ServerName, serverNames } from './live-fleet.ts'
import { assertReadable, rewriteAll, storedVersions } from './operator.ts'
import { RecordPoll } from './record-poll.ts'

export const loadedKinds = {
  beacons: loadedBeacons,
  configMaps: loadedConfigMaps,
  gadgets: loadedGadgets,
} as const satisfies Record<string, LoadedKind>
type LoadName = keyof typeof loadedKinds
const loadNames = Object.keys(loadedKinds) as LoadName[]

/** From one station to the next, as revisions of the store. */
export interface Leg {
  readonly from: Station
  readonly to: Station
  /** Before the first server was stopped. */
  readonly leftAt: number
  /** Before the last server was stopped: up to here the fleet was half-way. */
  readonly lastLeftAt: number
  /** All servers have heard that all are there, and what was under way before is over. */
  readonly settledAt: number
}

/** How long things took, in milliseconds. */
export interface Times {
  /** From the start of a process to its entry, as another server shows it. */
  readonly entry: number[]
  /** From the start of a process until it is ready. */
  readonly ready: number[]
  /** The part of that after it listens, by its own log: loading the program takes the rest. */
  readonly readySinceListening: number[]
  /** From the end of the last old process until the next agreement was seen, where it is another than the one before. */
  readonly agreedSinceGone: number[]
  /** From the last server's entry until agreement among all was seen. */
  readonly agreedSinceEntry: number[]
}

/** A minute, as the service levels of KEP-2339 have it; usually far less time passes. */
const patience = { giveUpMs: 60_000 }
const never = new AbortController().signal
/** Most of the time is spent on starting servers; the load need not make that slower than it is. */
const pauseMs = isFullSize ? 30 : 60
const beaconVersion = (versionName: LoadedVersion): string => loadedApiVersion(loadedBeacons, versionName)

/** How long a server took from listening to being ready, as its log says; undefined while it does not. */
function sinceListening({ output }: StrataProcess): number | undefined {
  const [listening, ready] = ['listening', 'ready'].map((what) =>
    Date.parse(new RegExp(`^(\\S+) INFO ${what} `, 'm').exec(output)?.[1] ?? ''),
  )
  return listening === undefined || !ready ? undefined : Math.max(1, ready - listening)
}

/** A fleet that is upgraded from release to release under load, with the steps that an operator has to take. */
export class Journey {
  readonly loads: Readonly<Record<LoadName, WriteLoad>>
  readonly legs: Leg[] = []
  readonly times: Times = {
    ...{ entry: [], ready: [], readySinceListening: [] },
    ...{ agreedSinceGone: [], agreedSinceEntry: [] },
  }
  readonly #fleet: LiveFleet
  readonly #store: Store
  readonly #someWrites: number
  #at: Station
  #served: readonly LoadedVersion[]
  #gadgetsStored: LoadedVersion = 'v1'

  private constructor(fleet: LiveFleet, store: Store, someWrites: number, at: Station) {
    this.#fleet = fleet
    this.#store = store
    this.#someWrites = someWrites
    this.#at = at
    this.#served = releases[at.release].decodes
    this.loads = {
      beacons: this.#load('beacons', () => this.#served, 4),
      configMaps: this.#load('configMaps', () => ['v1'], 2),
      gadgets: this.#load('gadgets', () => ['v1', 'v2'], 2),
    }
  }

  static async begin(fleet: LiveFleet, store: Store, someWrites: number, at: Station): Promise<Journey> {
    await fleet.startAll(at.release, forms[at.form])
    await defineGadgets(fleet.transport('a'), fleet.transport('c'))
    return new Journey(fleet, store, someWrites, at)
  }

  /** One server after the other; half-way, the definition of the custom resource is changed as well. */
  async goTo(to: Station): Promise<void> {
    const from = this.#at
    if (needsRewriting(from.release, to.release)) await this.#rewriteBeacons(releases[from.release].stores)
    this.#served = sharedVersions(from.release, to.release)
    await this.#untilTurned()
    const leftAt = await this.#revision()
    const [first, ...others] = serverNames
    await this.#replace(first, to)
    await this.#halfWay(from, to)
    let lastLeftAt = leftAt
    for (const name of others) {
      lastLeftAt = await this.#revision()
      await this.#replace(name, to)
    }
    this.#at = to
    this.#served = releases[to.release].decodes
    await this.#arrive(to)
    this.legs.push({ from, to, leftAt, lastLeftAt, settledAt: await this.#revision() })
  }

  async stop(): Promise<void> {
    for (const name of loadNames) await this.loads[name].stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(loadNames.map((name) => this.loads[name][Symbol.asyncDispose]()))
  }

  #load(label: LoadName, apiVersions: () => readonly LoadedVersion[], writers: number): WriteLoad {
    const servers = serverNames.map((name) => this.#fleet.transport(name))
    const { random } = this.#fleet.world
    const kind = loadedKinds[label]
    return new WriteLoad({
      ...{ servers: () => servers, apiVersions, random, kind, writers, pauseMs, rewritten: true },
      label: label.toLowerCase(),
    })
  }

  /** Shuts it down, and starts the next one in its place; meanwhile it reads the record. */
  async #replace(name: ServerName, { release, form }: Station): Promise<void> {
    const id = this.#fleet.idOf(name)
    const wanted = beaconVersion(releases[release].stores)
    const poll = new RecordPoll(this.#fleet.transport(name === 'a' ? 'b' : 'a'), agreementPath)
    try {
      await this.#fleet.server(name).terminate()
      const goneMs = nodeClock.monotonicMs()
      const server = await this.#fleet.start(name, release, forms[form])
      const readyMs = nodeClock.monotonicMs()
      const registeringMs = await until('it says that it is ready', () => sinceListening(server), patience)
      this.times.readySinceListening.push(registeringMs)
      const isThere = ({ servers }: AgreementStatus): boolean =>
        servers.some(({ serverID, encodingVersion, preferredVersion }) =>
          serverID === id && form === 'report'
            ? encodingVersion === wanted
            : preferredVersion === wanted && serverID === id,
        )
      const entryMs = await until('its entry is seen', () => poll.firstMs(isThere, goneMs), patience)
      this.times.entry.push(entryMs - goneMs)
      this.times.ready.push(readyMs - goneMs)
      if (name !== serverNames.at(-1)) return
      const isAgreed = ({ agreedVersion }: AgreementStatus): boolean => agreedVersion === wanted
      const isComplete = (status: AgreementStatus): boolean => isAgreed(status) && status.servers.length === 3
      const completeMs = await until('all agree', () => poll.firstMs(isComplete, entryMs), patience)
      this.times.agreedSinceEntry.push(completeMs - entryMs)
      // If the stored versions are the same as before, the servers agreed all the time.
      if (wanted === beaconVersion(releases[this.#at.release].stores)) return
      this.times.agreedSinceGone.push((poll.firstMs(isAgreed, goneMs) ?? completeMs) - goneMs)
    } finally {
      await poll.stop()
    }
  }

  async #halfWay(from: Station, to: Station): Promise<void> {
    this.#gadgetsStored = this.#gadgetsStored === 'v1' ? 'v2' : 'v1'
    await storeGadgetsIn(this.#fleet.transport('b'), this.#gadgetsStored)
    await Promise.all(loadNames.map((name) => this.loads[name].untilMore(this.#someWrites)))
    const { body } = await ask(this.#fleet.transport('c'), 'GET', agreementPath)
    const { agreedVersion, selectedVersion }: AgreementStatus = body.status
    const before = beaconVersion(releases[from.release].stores)
    const differ = releases[from.release].stores !== releases[to.release].stores
    if (from.form === 'report' && to.form === 'report') {
      // Each writes its preferred version, and the record shows the disagreement.
      assert.equal(agreedVersion, differ ? undefined : before)
    } else if (from.form !== 'report' && to.form !== 'report') {
      // No server moves until all can.
      assert.deepEqual([agreedVersion, selectedVersion], [before, before])
    }
  }

  /** Everything is there, for everybody; and no server is behind. */
  async #arrive({ release, form }: Station): Promise<void> {
    const wanted = beaconVersion(releases[release].stores)
    for (const name of serverNames) {
      // Through each of them: then each has heard of it.
      const { body } = await ask(this.#fleet.transport(name), 'GET', agreementPath)
      const { agreedVersion, servers, selectedVersion }: AgreementStatus = body.status
      assert.deepEqual(
        [agreedVersion, servers.map(({ encodingVersion }) => encodingVersion)],
        [wanted, [wanted, wanted, wanted]],
      )
      if (form !== 'report') assert.equal(selectedVersion, wanted)
    }
    await this.#untilTurned()
    for (const name of serverNames) {
      for (const kind of Object.values(loadedKinds)) {
        const versionName = kind === loadedBeacons ? releases[release].stores : 'v1'
        await assertReadable(this.#fleet.transport(name), this.#store, kind, versionName)
      }
    }
  }

  /** Migrates until nothing is stored in any other version. */
  async #rewriteBeacons(stored: LoadedVersion): Promise<void> {
    const transports = serverNames.map((name) => this.#fleet.transport(name))
    await rewriteAll(transports, loadedBeacons, stored)
    const versions = await storedVersions(this.#store, loadedBeacons)
    assert.deepEqual(Object.keys(versions), [beaconVersion(stored)])
  }

  async #untilTurned(): Promise<void> {
    await Promise.all(loadNames.map((name) => this.loads[name].untilTurned()))
  }

  #revision(): Promise<number> {
    return this.#store.currentRevision(never)
  }
}
