import assert from 'node:assert/strict'
import type { StorageAgreement } from '@strata/api'
import { createClient } from '@strata/client'
import { observeTarget, type ResumePoint, type TargetDecision } from '@strata/controllers'
import type { Transport } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { adminToken } from '../../support/fleet.ts'
import { recordIn } from '../checkers/stored-json.ts'
import {
  aggregatedGroup,
  aggregatedRecord,
  agreementPrefix,
  buoyPrefix,
  storageVersionPrefix,
} from '../keys.ts'
import { Stage } from '../stage.ts'
import type { Member } from '../world/fleet.ts'
import { migrateOnce } from '../world/migrator.ts'
import { type Json, request } from '../world/request.ts'
import { partsOf, type Shape } from '../world/shape.ts'
import { buoyResource } from './buoys.ts'
import { unsettledMirror } from './mirror-at-rest.ts'
import type { Origin } from './origin.ts'

const buoyPath = `/apis/${aggregatedGroup}/v1/namespaces/default/buoys`

/** An aggregator of one server and the fleets behind it, in clear weather, without chance or clients. */
export class AggregatedStage extends Stage {
  readonly #user: SimProcess

  constructor(title: string, shape: Partial<Shape> = {}) {
    super(title, { aggregated: 2, instances: ['a'], leaseDurationSeconds: 20, ...shape })
    this.#user = this.world.simulation.process('user', { host: 'desk' })
  }

  origin(index = 0): Origin {
    const origin = this.world.origins[index]
    assert.ok(origin)
    return origin
  }

  async startBehind(name: string, release: string, index = 0): Promise<Member> {
    const member = this.origin(index).fleet.start(name, name, release, partsOf.report[0])
    await this.until(`${name} is ready`, () => member.server.ready)
    return member
  }

  async stopBehind(member: Member, index = 0): Promise<void> {
    this.origin(index).fleet.stop(member)
    await this.until(`${member.name} has left`, () => member.process.crashed)
  }

  /** The servers are discovered, and everything is mirrored. */
  async settleMirror(): Promise<void> {
    const stores = this.world.origins.map(({ data }) => data)
    const problems = () => unsettledMirror(this.world.data, stores)
    await this.until('the mirror is true', () => problems().length === 0, 240_000)
  }

  /** Through the aggregator, as soon as it passes requests on. */
  async create(name: string): Promise<void> {
    const body = {
      ...{ apiVersion: `${aggregatedGroup}/v1`, kind: 'Buoy', metadata: { name } },
      spec: { everySeconds: 5, colour: 'red' },
    }
    for (let tries = 0; tries < 60; tries++) {
      const { status } = await this.ask('a', { method: 'POST', target: buoyPath, body })
      if (status === 201) return
      await this.pass(1_000)
    }
    assert.fail(`could not create ${name}`)
  }

  writeThrough(server: string, name: string): Promise<{ readonly status: number }> {
    const body = { metadata: { labels: { late: 'yes' } } }
    const target = `${buoyPath}/${name}`
    const transport = this.world.network.connect(this.#user, server)
    const headers = { 'content-type': 'application/merge-patch+json' }
    return request(this.#user, transport, { method: 'PATCH', target, body, headers, timeoutMs: 600_000 })
  }

  originRecord(index = 0): StorageAgreement {
    const [entry] = this.origin(index).data.read([`${agreementPrefix}${aggregatedRecord}`]).entries
    assert.ok(entry)
    return recordIn(entry.value)
  }

  /** The StorageVersion in the aggregator. */
  get mirror(): Json {
    const [entry] = this.world.data.read([`${storageVersionPrefix}${aggregatedRecord}`]).entries
    return entry && JSON.parse(Buffer.from(entry.value).toString())
  }

  storedIn(name: string): string {
    const [entry] = this.origin().data.read([`${buoyPrefix}default/${name}`]).entries
    assert.ok(entry)
    return JSON.parse(Buffer.from(entry.value).toString()).apiVersion
  }

  #client(wrap: (way: Transport) => Transport) {
    const transport = wrap(this.world.network.connect(this.#user, 'a'))
    return { transport, client: createClient({ transport, token: adminToken }) }
  }

  /** What whoever migrates sees through the aggregator. */
  async look(wrap: (way: Transport) => Transport = (way) => way): Promise<TargetDecision> {
    const { client } = this.#client(wrap)
    const asked = observeTarget({ client, resource: buoyResource }, new AbortController().signal)
    return this.world.simulation.settle(asked)
  }

  async migrate() {
    const { simulation } = this.world
    const { history } = this.origin()
    const parts = {
      ...{ process: this.#user, history, nowMs: () => simulation.nowMs, ways: 'engine' as const },
      ...{ ...this.#client((way) => way), resources: [buoyResource] as const },
      notebook: new Map<string, ResumePoint>(),
    }
    await simulation.settle(migrateOnce(parts, buoyResource))
    return history.migrations.at(-1)
  }
}
