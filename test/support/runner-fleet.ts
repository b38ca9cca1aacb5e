import assert from 'node:assert/strict'
import { createClient } from '@strata/client'
import { type ControllersOptions, MigrationMetrics, runControllers } from '@strata/controllers'
import { type Outbound, type Transport, utf8 } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { type Answer, adminToken } from './fleet.ts'
import {
  lamps,
  MigrationFleet,
  type MigrationFleetOptions,
  mergePatch,
  type Through,
} from './migration-fleet.ts'

export const ownPath = (name = ''): string =>
  `/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations${name === '' ? '' : `/${name}`}`
export const versionedPath = (name = ''): string =>
  `/apis/migration.k8s.io/v1alpha1/storageversionmigrations${name === '' ? '' : `/${name}`}`
export const definitionPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.${lamps.group}`

export const beacons = { group: 'lighthouse.example.dev', resource: 'beacons' } as const
export const beaconPrefix = '/registry/lighthouse.example.dev/'

export interface Runner {
  readonly process: SimProcess
  readonly metrics: MigrationMetrics
  /** Method and path of each request that is not a read, the election left out. */
  readonly writes: string[]
  /** Kindly: what is under way is ended, and the Lease given back. */
  stop(): Promise<void>
  /** As kill -9: it sends nothing any more, and says nothing to anybody. */
  kill(): void
}

export interface RunnerOptions extends ControllersOptions {
  readonly through?: Through
}

/** Servers, a custom resource with two versions, and controllers that see to migrations. */
export class RunnerFleet extends MigrationFleet {
  /** Lamps stored in v1, and a fleet that has agreed on v2. */
  static async switched(seed: string, count: number, more: MigrationFleetOptions = {}): Promise<RunnerFleet> {
    const fleet = new RunnerFleet(seed, more)
    await fleet.startSwitched(count)
    return fleet
  }

  /** Beacons stored in v1 by an old release, and a fleet of a newer one that stores v2. */
  static async upgraded(seed: string, count: number): Promise<RunnerFleet> {
    const fleet = new RunnerFleet(seed)
    await fleet.startUpgraded(count)
    return fleet
  }

  startRunner(
    name = 'runner',
    { through = (request, send) => send(request), ...more }: RunnerOptions = {},
  ): Runner {
    const process = this.simulation.process(name, { host: name })
    const stop = new AbortController()
    const writes: string[] = []
    const fleet = this.connect(process)
    let isDead = false
    const transport: Transport = (request) => {
      // The dead runner gets no response either.
      if (isDead) return new Promise(() => {})
      const isElection = request.target.includes('/leases')
      if (request.method !== 'GET' && !isElection)
        writes.push(`${request.method} ${request.target.split('?')[0]}`)
      return through(request, fleet)
    }
    const answerLimit = { clock: process.clock, answerMs: 90_000 }
    const client = createClient({ transport, token: adminToken, userAgent: name, answerLimit })
    const metrics = new MigrationMetrics()
    const options = {
      ...{ controllers: ['storage-version-migrator'], migrationMetrics: metrics },
      // Through the API by default: that is what most of these tests are about.
      ...{ migrationNextToData: false, ...more },
    }
    const ended = runControllers({ world: process, client, options, signal: stop.signal })
    return {
      process,
      metrics,
      writes,
      stop: async () => {
        stop.abort(new Error('stop'))
        await this.settle(ended)
      },
      kill: () => {
        isDead = true
        process.crash()
      },
    }
  }

  /** Creates a migration of upstream's own kind; of lamps by default. */
  async migrateOwn(
    name: string,
    { annotations = {}, resource = lamps }: { annotations?: object; resource?: object } = {},
  ): Promise<void> {
    await this.#make(ownPath(), {
      apiVersion: 'storagemigration.k8s.io/v1beta1',
      kind: 'StorageVersionMigration',
      metadata: { name, annotations },
      spec: { resource },
    })
  }

  /** The same of kube-storage-version-migrator's. */
  async migrateVersioned(
    name: string,
    {
      annotations = {},
      resource = { ...lamps, version: 'v1' },
    }: { annotations?: object; resource?: object } = {},
  ): Promise<void> {
    await this.#make(versionedPath(), {
      apiVersion: 'migration.k8s.io/v1alpha1',
      kind: 'StorageVersionMigration',
      metadata: { name, annotations },
      spec: { resource },
    })
  }

  async annotate(path: string, annotations: object): Promise<void> {
    const answer = await this.settle(this.send('PATCH', path, { metadata: { annotations } }, mergePatch))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** Writes the status of an object as another client. */
  async say(path: string, status: object): Promise<void> {
    const answer = await this.settle(this.send('PATCH', `${path}/status`, { status }, mergePatch))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** A webhook is asked about every change of a lamp; what it says comes from the fleet's outbound. */
  async guardLamps(): Promise<void> {
    const kind = 'ValidatingWebhookConfiguration'
    const hook = {
      name: 'guard.example.dev',
      clientConfig: { url: 'https://hook.example.dev/guard' },
      rules: [{ apiGroups: [lamps.group], apiVersions: ['*'], operations: ['UPDATE'], resources: ['lamps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    }
    await this.#make(`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`, {
      ...{
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name: 'guard' },
        webhooks: [hook],
      },
    })
    await this.pass(3_000)
  }

  /** Lets time pass until what is asked for is so. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>, withinMs = 120_000): Promise<T> {
    const endMs = this.simulation.nowMs + withinMs
    for (;;) {
      const seen = await look()
      if (seen !== undefined && seen !== false) return seen
      assert.ok(this.simulation.nowMs < endMs, `not in ${withinMs} ms: ${what}`)
      await this.pass(250)
    }
  }

  /** The object, when it has come to its end. */
  ended(path: string, withinMs?: number): Promise<Answer['body']> {
    return this.until(
      `${path} has ended`,
      async () => {
        const { body } = await this.ask('GET', path)
        return ['Succeeded', 'Failed'].some((type) => holds(body, type)) && body
      },
      withinMs,
    )
  }

  async pass(ms: number): Promise<void> {
    await this.simulation.run({ untilMs: this.simulation.nowMs + ms })
  }

  async #make(path: string, body: unknown): Promise<void> {
    const answer = await this.ask('POST', path, body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
  }
}

export function holds(migration: Answer['body'], type: string): boolean {
  return conditionOf(migration, type)?.status === 'True'
}

export function conditionOf(object: Answer['body'], type: string): Answer['body'] {
  return object.status?.conditions?.find((each: { type: string }) => each.type === type)
}

/** A condition that another client has set. */
export const condition = (type: string, status = 'True'): object => ({
  ...{ type, status, reason: 'Said', message: 'said', lastTransitionTime: '2026-01-01T00:00:00Z' },
})

/** A webhook that lets everything through but one object. */
export function denies(name: string): Outbound {
  return async ({ body }) => {
    const { request, ...review } = JSON.parse(utf8.decode(body))
    const allowed = request.name !== name
    const response = { uid: request.uid, allowed, status: { message: 'not this one' } }
    return { status: 200, headers: {}, body: utf8.encode(JSON.stringify({ ...review, response })) }
  }
}
