import {
  type ApiObject,
  type ApiService,
  agreementName,
  agreementResource,
  apiServices,
  apiVersionOf,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
  identityNamespace,
  isIdentityLease,
  type Lease,
  leases,
  type StorageAgreement,
  type StorageState,
  type StorageVersion,
  storageAgreements,
  storageStates,
  storageVersionHash,
  storageVersions,
} from '@strata/api'
import {
  type Client,
  createInformer,
  type DiscoveredResource,
  type Informer,
  type ObjectChange,
  preferredResources,
  type ResourceAddress,
} from '@strata/client'
import { abortable, type Cancel, InvariantBroken, sleep, type World } from '@strata/world'
import { discoverEveryMs, type Source } from '../engine/index.ts'
import { isMigratable, passesOn } from '../migrator/index.ts'
import { decideHomes } from './decide-home.ts'
import type { MigrationHome } from './migration-home.ts'
import { observeHashes } from './observe-hashes.ts'
import { migratedResource, type ObservedMigration, observedMigration } from './observed-migration.ts'
import type { SourceView } from './source-view.ts'
import type { ObservedResource } from './trigger.ts'
import { recordView, storageVersionView } from './view-of.ts'

export interface ClusterViewOptions {
  readonly world: World
  readonly client: Client
  readonly periodMs: number
  /** Whether this process reads the hashes in discovery itself. If not, reporters do. */
  readonly polls: boolean
  /** Called after each read of discovery. */
  readonly onPoll: (result: 'complete' | 'partial' | 'failed') => void
  /** Installs the CRDs that the trigger needs, if the cluster does not have them. */
  readonly install?: ((signal: AbortSignal) => Promise<void>) | undefined
}

interface Watched<T extends ApiObject> {
  readonly informer: Informer<T>
  readonly ended: Promise<void>
}

/**
 * The inputs of the trigger, from the strongest source that the cluster serves: records, else StorageVersions, else the
 * hashes in discovery. A kind is watched as soon as it is served.
 */
export class ClusterView implements Source {
  readonly #options: ClusterViewOptions
  readonly #listeners = new Set<(key: string) => void>()
  readonly #begun = Promise.withResolvers<void>()
  readonly #deleted = new Set<string>()
  readonly #stop = new AbortController()
  readonly #watched = new Map<string, Watched<ApiObject>>()
  #resources: readonly DiscoveredResource[] = []
  #hashes: ReadonlyMap<string, { readonly hash: string; readonly polledAtMs: number }> = new Map()
  /** The trigger creates migrations in the first one. Users and commands may create some in the others. */
  #homes: readonly MigrationHome[] = []
  #isInstalled = false
  #discoveredMs = Number.NEGATIVE_INFINITY
  #polledMs = Number.NEGATIVE_INFINITY

  constructor(options: ClusterViewOptions) {
    this.#options = options
  }

  subscribe(enqueue: (key: string) => void): Cancel {
    this.#listeners.add(enqueue)
    return () => this.#listeners.delete(enqueue)
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return abortable(this.#begun.promise, signal)
  }

  /** Undefined if nothing can be decided about the resource for now. */
  async see(key: string, signal: AbortSignal): Promise<ObservedResource | undefined> {
    // The record of a new CRD may arrive before discovery serves the resource.
    if (!this.#served(key)) await this.#discoverAgain(signal)
    const served = this.#served(key)
    const [home] = this.#homes
    if (!served || !home) return undefined
    const resource = { group: served.group, resource: served.resource }
    const state = this.#store<StorageState>(storageStates)?.get(key)
    const source = this.#sourceOf(resource, served.kind, state)
    if (!source) return undefined
    return {
      ...{ resource, source, state, home, servedVersion: this.#versionFor(served, source) },
      wasDeleted: this.#deleted.has(key),
      migrations: this.#migrationsOf(key, served.kind),
    }
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, periodMs } = this.#options
    const stepMs = Math.min(discoverEveryMs, periodMs)
    try {
      while (!signal.aborted) {
        try {
          await this.#turn(signal)
        } catch (error) {
          if (error instanceof InvariantBroken) throw error
          if (!signal.aborted)
            world.log.warn('reading the cluster failed; retrying', { error: String(error) })
        }
        await sleep(world.clock, stepMs, signal).catch(() => {})
      }
    } finally {
      this.#stop.abort(signal.reason)
      await Promise.all([...this.#watched.values()].map(({ ended }) => ended))
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { install, world } = this.#options
    if (install && !this.#isInstalled) await install(signal)
    this.#isInstalled = true
    await this.#discover(signal)
    if (!this.#isServed(storageStates) || this.#homes.length === 0) {
      this.#isInstalled = false
      world.log.warn('StorageStates and migrations are not served here: install their CRDs', {
        how: 'strata controllers --install-crds',
      })
      return
    }
    this.#watchAll()
    await Promise.all([...this.#watched.values()].map(({ informer }) => informer.whenSynced(signal)))
    if (this.#options.polls && !this.#isServed(storageAgreements) && this.#isPollDue())
      await this.#poll(signal)
    this.#begun.resolve()
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const { resources, failures } = await this.#options.client.discover(signal)
    // A group whose discovery failed is not gone.
    const kept = failures.length === 0 ? [] : this.#resources
    const known = new Set(resources.map(addressText))
    this.#resources = [...resources, ...kept.filter((each) => !known.has(addressText(each)))]
    this.#homes = decideHomes(this.#resources)
    this.#discoveredMs = this.#options.world.clock.monotonicMs()
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { client, world, onPoll } = this.#options
    const { clock, log } = world
    const polledAtMs = clock.wallMs()
    const { hashes, failures } = await observeHashes(client, signal).catch((error: unknown) => {
      onPoll('failed')
      throw error
    })
    onPoll(failures.length === 0 ? 'complete' : 'partial')
    if (failures.length > 0) log.warn('discovery of some groups failed', { failures })
    const seen = new Map(this.#hashes)
    for (const [key, hash] of hashes) seen.set(key, { hash, polledAtMs })
    this.#hashes = seen
    this.#polledMs = clock.monotonicMs()
    for (const key of hashes.keys()) this.#notify(key)
  }

  #isPollDue(): boolean {
    const { world, periodMs } = this.#options
    return world.clock.monotonicMs() - this.#polledMs >= periodMs
  }

  /** Reads discovery again, at most once a second for all callers together. */
  async #discoverAgain(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world
    const before = this.#discoveredMs
    await sleep(clock, Math.max(0, before + 1_000 - clock.monotonicMs()), signal)
    if (this.#discoveredMs === before) await this.#discover(signal)
  }

  #watchAll(): void {
    this.#watch<StorageState>(storageStates, 'v1alpha1', ({ kind, key, object }) => {
      if (kind === 'deleted') this.#deleted.add(key)
      // Only when it has a status: the status is written after the object, and that write may fail.
      else if (object.status !== undefined) this.#deleted.delete(key)
      return [key]
    })
    for (const home of this.#homes) {
      const address = { ...home, resource: 'storageversionmigrations', kind: 'StorageVersionMigration' }
      this.#watch(address, home.versionName, ({ object }) => keysOf(migratedResource(object)))
    }
    if (this.#isServed(storageAgreements)) {
      this.#watch<StorageAgreement>(storageAgreements, 'v1alpha1', ({ object }) => keysOf(object.spec))
    } else if (this.#isServed(storageVersions)) {
      this.#watch<StorageVersion>(storageVersions, 'v1alpha1', ({ object }) =>
        keysOf(agreementResource(object.metadata.name ?? '')),
      )
      this.#watch<Lease>(leases, 'v1', () => [], identityNamespace)
      for (const each of [customResourceDefinitions, apiServices]) {
        if (this.#isServed(each)) this.#watch(each, 'v1', () => [])
      }
    }
  }

  #watch<T extends ApiObject>(
    where: Pick<ResourceAddress, 'group' | 'resource' | 'kind'>,
    versionName: string,
    keys: (change: ObjectChange<T>) => readonly string[],
    namespace?: string,
  ): void {
    const { client, world } = this.#options
    const id = groupResourceText(where)
    if (this.#watched.has(id)) return
    const { group, resource, kind = '' } = where
    const informer = createInformer(client.resource<T>({ group, versionName, resource, kind }), {
      world,
      ...(namespace === undefined ? {} : { namespace }),
      onChange: (change) => {
        for (const key of keys(change)) this.#notify(key)
      },
    })
    const ended = informer.run(this.#stop.signal)
    this.#watched.set(id, { informer: informer as unknown as Informer<ApiObject>, ended })
  }

  #sourceOf(resource: GroupResource, kind: string, state: StorageState | undefined): SourceView | undefined {
    const name = agreementName(resource)
    if (this.#isServed(storageAgreements)) {
      const record = this.#store<StorageAgreement>(storageAgreements)?.get(name)
      // If the cluster has records, a resource without a record is left alone.
      return record && recordView(record, kind)
    }
    const storageVersion = this.#store<StorageVersion>(storageVersions)?.get(name)
    if (storageVersion) {
      const identities = [...(this.#store<Lease>(leases)?.values() ?? [])].filter(isIdentityLease)
      const names = identities.map(({ metadata }) => metadata.name ?? '')
      const definition = this.#store<CustomResourceDefinition>(customResourceDefinitions)?.get(
        groupResourceText(resource),
      )
      const services = [...(this.#store<ApiService>(apiServices)?.values() ?? [])]
      const isServedElsewhere = services.some((each) => passesOn(each, resource.group))
      const beside = { identities: names, definition, isServedElsewhere }
      return storageVersionView(resource, storageVersion, kind, beside)
    }
    if ((state?.status?.currentStorageVersionHashes ?? []).length > 0) return { kind: 'reporters' }
    const seen = this.#hashes.get(groupResourceText(resource))
    return seen && { kind: 'discovery', ...seen }
  }

  /**
   * The storage version, if it is served; else the preferred one. Through another version, fields that only the stored one has
   * could be lost.
   */
  #versionFor({ group, resource, versionName }: DiscoveredResource, source: SourceView): string {
    const hash =
      'common' in source ? source.common.agreed && source.common.hash : 'hash' in source && source.hash
    const stored = this.#resources.find(
      (each) =>
        each.group === group &&
        each.resource === resource &&
        isMigratable(each) &&
        storageVersionHash(apiVersionOf(group, each.versionName), each.kind) === hash,
    )
    return stored?.versionName ?? versionName
  }

  #migrationsOf(key: string, kind: string): ObservedMigration[] {
    return this.#homes.flatMap((home) => {
      const all = [...(this.#store({ ...home, resource: 'storageversionmigrations' })?.values() ?? [])]
      return all
        .filter((each) => keysOf(migratedResource(each)).includes(key))
        .map((each) => ({ ...observedMigration(each, kind), home }))
    })
  }

  #store<T extends ApiObject>(where: GroupResource): ReadonlyMap<string, T> | undefined {
    const found = this.#watched.get(groupResourceText(where))
    return found?.informer.store as ReadonlyMap<string, T> | undefined
  }

  #served(key: string): DiscoveredResource | undefined {
    return preferredResources(this.#resources).find(
      (each) => groupResourceText(each) === key && isMigratable(each),
    )
  }

  #isServed({ group, resource }: GroupResource): boolean {
    return this.#resources.some((each) => each.group === group && each.resource === resource)
  }

  #notify(key: string): void {
    for (const listener of this.#listeners) listener(key)
  }
}

function keysOf(resource: GroupResource | undefined): readonly string[] {
  return resource ? [groupResourceText(resource)] : []
}

function addressText({ group, versionName, resource }: DiscoveredResource): string {
  return `${group}/${versionName}/${resource}`
}
