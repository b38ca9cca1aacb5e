import {
  alreadyExists,
  type GroupResource,
  notFound,
  objectModified,
  type ResourceDefinition,
} from '@strata/api'
import type { Client } from '@strata/client'
import { endOf, type MigrationTarget } from '@strata/controllers'
import { claimAnnotation, type MigrationGroup, type MigrationObject, viewOf } from '@strata/insight'
import type { SimProcess, Simulation } from '@strata/world/sim'
import type { CliContext } from '../../context.ts'
import type { MigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { type MigrateOptions, MigrationJob } from '../run/migration-job.ts'
import { createObjectRecords } from './object-records.ts'
import type { RecordStore } from './record.ts'

export const never = new AbortController().signal
export const things = {
  ...{ group: 'g.dev', resource: 'things', versionName: 'v1', kind: 'Thing', namespaced: true, verbs: [] },
}
export const target: MigrationTarget = {
  resource: things,
  how: 'record',
  fenced: true,
  encodingVersion: 'g.dev/v1',
}

type Annotations = Readonly<Record<string, string | null>>

/** Migration objects of both groups, as their clients see them; no controllers renew their Lease. */
export class FakeMigrations {
  readonly client: Client
  /** Called before each write, with the write: tests start a race there. */
  before: (verb: 'create' | 'patch' | 'status' | 'delete', by: string) => Promise<void> = async () => {}
  readonly #objects = new Map<string, MigrationObject>()
  #revision = 100

  constructor() {
    this.client = this.clientOf('somebody')
  }

  clientOf(who: string): Client {
    return {
      resource: (definition: ResourceDefinition) => this.#resource(definition, who),
    } as unknown as Client
  }

  recordsOf(process: SimProcess): RecordStore {
    const groups = ['migration.k8s.io', 'storagemigration.k8s.io']
    const client = this.clientOf(process.name)
    return createObjectRecords({ client, resource: things, servedVersion: 'v1', groups, world: process })
  }

  /** A command that is about to look for its place, and what it says on the way. */
  jobOf(process: SimProcess, signal = never): { readonly job: MigrationJob; readonly notes: string[] } {
    const notes: string[] = []
    const quiet = { progress: () => {}, wait: () => {}, waits: () => {} }
    const view = { note: (_: string, text: string) => notes.push(text), ...quiet }
    const context = { world: process, signal, environment: {} }
    const job = new MigrationJob(
      ...([{ client: this.clientOf(process.name) } as Cluster, things] as const),
      ...([{ takeOver: false } as MigrateOptions, view as unknown as MigrationView] as const),
      context as unknown as CliContext,
    )
    return { job, notes }
  }

  /** Created by a user. */
  ask(name: string, annotations: Annotations = {}, status: MigrationObject['status'] = {}): void {
    this.#store('storagemigration.k8s.io', name, {
      metadata: { name, annotations: without(annotations), creationTimestamp: '2026-01-01T00:00:00Z' },
      ...{ spec: { resource: { group: things.group, resource: things.resource } }, status },
    })
  }

  annotate(name: string, annotations: Annotations): void {
    const [key, object] = this.#entry(name)
    const { metadata } = object
    const merged = without({ ...metadata.annotations, ...annotations })
    this.#store(groupIn(key), name, { ...object, metadata: { ...metadata, annotations: merged } })
  }

  /** Deleted, and kept by a finalizer. */
  terminate(name: string): void {
    const [key, object] = this.#entry(name)
    const metadata = { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
    this.#store(groupIn(key), name, { ...object, metadata })
  }

  /** Its claim, whether it is paused, and how it has ended. */
  seen(name: string): readonly [claimed: boolean, paused: string | undefined, outcome: string | undefined] {
    const [key, object] = this.#entry(name)
    const { annotations = {} } = object.metadata
    const end = endOf(viewOf(groupIn(key) as MigrationGroup, object))
    return [Boolean(annotations[claimAnnotation]), annotations['strata.dev/paused'], end?.outcome]
  }

  get names(): readonly string[] {
    return [...this.#objects.values()].map(({ metadata }) => metadata.name ?? '').sort()
  }

  #entry(name: string): [key: string, object: MigrationObject] {
    const found = [...this.#objects].find(([, { metadata }]) => metadata.name === name)
    if (found === undefined) throw new Error(`there is no ${name}`)
    return found
  }

  #store(group: string, name: string, object: MigrationObject): MigrationObject {
    const resourceVersion = String(++this.#revision)
    const { uid = `uid-${resourceVersion}` } = object.metadata
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion } }
    this.#objects.set(`${group}/${name}`, stored)
    return stored
  }

  #resource({ group, resource }: GroupResource, who: string) {
    const address = { group, resource }
    const there = (name = ''): MigrationObject => {
      const found = this.#objects.get(`${group}/${name}`)
      if (found === undefined) throw notFound(address, name)
      return found
    }
    const guarded = (
      name = '',
      expected: { uid?: string; resourceVersion?: string } = {},
    ): MigrationObject => {
      const found = there(name)
      const { uid = found.metadata.uid, resourceVersion = found.metadata.resourceVersion } = expected
      if (uid !== found.metadata.uid || resourceVersion !== found.metadata.resourceVersion)
        throw objectModified(address, name)
      return found
    }
    return {
      address,
      get: async ({ name }: { name: string }) => there(name),
      list: async () => ({
        items: [...this.#objects].filter(([key]) => groupIn(key) === group).map(([, object]) => object),
      }),
      create: async (object: MigrationObject) => {
        await this.before('create', who)
        const { name = '' } = object.metadata
        if (this.#objects.has(`${group}/${name}`)) throw alreadyExists(address, name)
        return this.#store(group, name, object)
      },
      patch: async (
        { name }: { name: string },
        { metadata, status }: MigrationObject,
        _: AbortSignal,
        { subresource }: { readonly subresource?: 'status' } = {},
      ) => {
        await this.before(subresource ?? 'patch', who)
        const before = guarded(name, metadata)
        if (subresource) {
          return this.#store(group, name, { ...before, status: without({ ...before.status, ...status }) })
        }
        this.annotate(name, metadata.annotations ?? {})
        return there(name)
      },
      delete: async ({ name }: { name: string }, { preconditions }: { preconditions: { uid: string } }) => {
        await this.before('delete', who)
        const { deletionTimestamp } = guarded(name, preconditions).metadata
        if (deletionTimestamp === undefined) this.#objects.delete(`${group}/${name}`)
      },
    }
  }
}

const groupIn = (key: string): string => key.slice(0, key.indexOf('/'))

const without = <T>(fields: Readonly<Record<string, T | null>>): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === null ? [] : [[key, value]])))

/** Until nothing more is to be done at this moment. */
export const passing = (simulation: Simulation, ms: number): Promise<unknown> =>
  simulation.run({ untilMs: simulation.nowMs + ms })
