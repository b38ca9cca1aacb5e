import assert from 'node:assert/strict'
import type { StorageAgreement } from '@strata/api'
import { agreementKind } from '@strata/server'
import type { SimProcess } from '@strata/world/sim'
import { checkHistory, type Violation } from './checkers/index.ts'
import { agreementPrefix, exampleRecord } from './keys.ts'
import type { Member } from './world/fleet.ts'
import { type Reply, type Request, request } from './world/request.ts'
import { type Part, partsOf, releasePairs, type Shape } from './world/shape.ts'
import { createWorld, type World, type WorldOptions } from './world/world.ts'

/** For interleavings that are told line by line: the world of the seeds in clear weather, without chance or clients. */
export class Stage {
  readonly world: World
  readonly #admin: SimProcess

  constructor(title: string, shape: Partial<Shape> = {}, more: Pick<WorldOptions, 'tap' | 'sabotage'> = {}) {
    this.world = createWorld({
      seed: title,
      ...more,
      shape: {
        instances: ['a', 'b'],
        releases: releasePairs.switch,
        leaseDurationSeconds: 20,
        renewIntervalSeconds: 5,
        clients: 0,
        oneHost: false,
        cannotTell: false,
        definitions: false,
        kinds: 'few',
        migrations: 'none',
        censuses: false,
        keys: false,
        kms: false,
        collectors: 'controllers',
        ...{
          statuses: false,
          restores: 0,
          aggregated: 0,
          lateCommits: 0,
          gatesChange: false,
          expectedServers: 0,
          coordinatedDiscovery: false,
        },
        parts: partsOf.report,
        ...shape,
      },
    })
    this.world.weather.set('clear')
    this.#admin = this.world.simulation.process('admin', { host: 'desk' })
  }

  /** Starts a server and waits until it is ready. */
  async start(name: string, release: string, part?: Part): Promise<Member> {
    const member = this.world.fleet.start(name, name, release, part)
    await this.until(`${name} is ready`, () => member.server.ready)
    return member
  }

  send(server: string, asked: Omit<Request, 'timeoutMs'>): Promise<Reply> {
    const transport = this.world.network.connect(this.#admin, server)
    return request(this.#admin, transport, { ...asked, timeoutMs: 600_000 })
  }

  ask(server: string, asked: Omit<Request, 'timeoutMs'>): Promise<Reply> {
    return this.world.simulation.settle(this.send(server, asked))
  }

  async pass(ms: number): Promise<void> {
    const { simulation } = this.world
    await simulation.run({ untilMs: simulation.nowMs + ms })
  }

  async until(what: string, condition: () => boolean, limitMs = 120_000): Promise<void> {
    const { simulation } = this.world
    await simulation.run({ until: condition, untilMs: simulation.nowMs + limitMs })
    assert.ok(condition(), `gave up waiting until ${what}`)
  }

  /** The agreement record of the example kind, as it stands in the store. */
  get record(): StorageAgreement {
    return this.recordOf(exampleRecord)
  }

  recordOf(name: string): StorageAgreement {
    const [entry] = this.world.data.read([`${agreementPrefix}${name}`]).entries
    assert.ok(entry, 'there is no record')
    return agreementKind.decode(entry)
  }

  broken(): readonly Violation[] {
    return checkHistory(this.world.history)
  }

  /** What the checkers say of all that has happened; clients' histories there are none. */
  verify(): void {
    const promises = [
      'recorded-version',
      'migration-proof',
      'persisted-versions',
      'honest-agreement',
      'honest-selection',
      'unanimous-selection',
      'everyone-counted',
      'no-flip-back',
      'live-not-expelled',
      'one-voice',
      'leaves-last',
      'quiet-store',
      'current-definition',
      'entry-by-definition',
      'accepted-names',
      'true-mirror',
      'origin-decides',
    ]
    const broken = this.broken().filter(({ checker }) => promises.includes(checker))
    assert.deepEqual(broken, [])
  }
}

/** A beacon and where it is, in the version that every server of the scenarios serves. */
export const beacons = '/apis/lighthouse.example.dev/v1/namespaces/default/beacons'
export const beacon = (name: string, colour: string) => ({
  apiVersion: 'lighthouse.example.dev/v1',
  kind: 'Beacon',
  metadata: { name },
  spec: { everySeconds: 5, colour },
})
