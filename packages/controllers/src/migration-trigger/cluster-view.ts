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
  originsAnnotation,
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
import { isMigratable, isUnused, passesOn } from '../migrator/index.ts'
import { decideHomes } from './decide-home.ts'
import type { MigrationHome } from './migration-home.ts'
import { observeHashes } from './observe-hashes.ts'
import { migratedResource, type ObservedMigration, observedMigration } from './observed-migration.ts'
import { OriginRecords } from './origin-records.ts'
import type { SourceView, StorageVersionView } from './source-view.ts'
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
  /** Whether nothing is decided before its first list. */
  readonly isNeeded: boolean
}

/**
 * The inputs of the trigger, from the strongest source that the cluster serves: records, else StorageVersions, else the
 * hashes in discovery. The record of an aggregated resource is read where its servers store it. A kind is watched as soon as
 * it is served.
 */
export class ClusterView implements Source {
  readonly #options: ClusterViewOptions
  readonly #listeners = new Set<(key: string) => void>()
  readonly #begun = Promise.withResolvers<void>()
  readonly #deleted = new Set<string>()
  readonly #stop = new AbortController()
  readonly #watched = new Map<string, Watched<ApiObject>>()
  readonly #origins: OriginRecords
  #resources: readonly DiscoveredResource[] = []
  #hashes: ReadonlyMap<string, { readonly hash: string; readonly polledAtMs: number }> = new Map()
  /** The trigger creates migrations in the first one. Users and commands may create some in the others. */
  #homes: readonly MigrationHome[] = []
  #isInstalled = false
  #discoveredMs = Number.NEGATIVE_INFINITY
  #polledMs = Number.NEGATIVE_INFINITY

  constructor(options: ClusterViewOptions) {
    this.#options = options
    const { world, client } = options
    this.#origins = new OriginRecords({ world, client, onChange: (key) => this.#notify(key) })
  }

  subscribe(enqueue: (key: string) => void): Cancel {
    this.#listeners.add(enqueue)
    return () => this.#listeners.delete(enqueue)
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return abortable(this.#begun.promise, signal)
  }

  /** Undefined if there is nothing to decide about the resource; `unreachable` if its servers do not answer. */
  async see(key: string, signal: AbortSignal): Promise<ObservedResource | 'unreachable' | undefined> {
    // The record of a new CRD may arrive before discovery serves the resource.
    if (!this.#served(key)) await this.#discoverAgain(signal)
    const served = this.#served(key)
    const [home] = this.#homes
    if (!served || !home) return undefined
    const resource = { group: served.group, resource: served.resource }
    const state = this.#store<StorageState>(storageStates)?.get(key)
    const source = await this.#sourceOf(resource, served.kind, state, signal)
    if (source === undefined || source === 'unreachable') return source
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
      await this.#origins.stop(signal.reason)
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
    this.#origins.follow(this.#resources)
    const needed = [...this.#watched.values()].filter(({ isNeeded }) => isNeeded)
    await Promise.all(needed.map(({ informer }) => informer.whenSynced(signal)))
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
    const hasRecords = this.#isServed(storageAgreements)
    if (hasRecords) {
      this.#watch<StorageAgreement>(storageAgreements, 'v1alpha1', ({ object }) => keysOf(object.spec))
    }
    if (this.#isServed(storageVersions)) this.#watchStorageVersions(!hasRecords)
  }

  /** Where servers have records, StorageVersions count only for aggregated servers of another make. */
  #watchStorageVersions(isNeeded: boolean): void {
    const ofGroup = ({ object }: ObjectChange<ApiService>): readonly string[] =>
      this.#publishedKeys().filter((key) => key.endsWith(`.${object.spec?.group}`))
    if (this.#isServed(apiServices)) this.#watch<ApiService>(apiServices, 'v1', ofGroup, { isNeeded })
    if (!isNeeded && !this.#services.some(({ spec }) => spec?.service)) return
    this.#watch<StorageVersion>(
      storageVersions,
      'v1alpha1',
      ({ object }) => keysOf(agreementResource(object.metadata.name ?? '')),
      { isNeeded },
    )
    if (!this.#watched.has(groupResourceText(leases))) {
      this.#watch<Lease>(leases, 'v1', () => [], { isNeeded, namespace: identityNamespace })
      // A StorageVersion that arrives before the Leases says nothing yet, and nothing else may change afterwards.
      void this.#notifyAfterFirstList(leases)
    }
    if (this.#isServed(customResourceDefinitions)) {
      this.#watch(customResourceDefinitions, 'v1', () => [], { isNeeded })
    }
  }

  #publishedKeys(): string[] {
    const names = this.#store<StorageVersion>(storageVersions)?.keys() ?? []
    return [...names].flatMap((name) => keysOf(agreementResource(name)))
  }

  async #notifyAfterFirstList(where: GroupResource): Promise<void> {
    const informer = this.#watched.get(groupResourceText(where))?.informer
    // The signal ends it with this view.
    const isListed = await informer?.whenSynced(this.#stop.signal).then(
      () => true,
      () => false,
    )
    if (isListed) for (const key of this.#publishedKeys()) this.#notify(key)
  }

  #watch<T extends ApiObject>(
    where: Pick<ResourceAddress, 'group' | 'resource' | 'kind'>,
    versionName: string,
    keys: (change: ObjectChange<T>) => readonly string[],
    { isNeeded = true, namespace }: { readonly isNeeded?: boolean; readonly namespace?: string } = {},
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
    this.#watched.set(id, { informer: informer as unknown as Informer<ApiObject>, ended, isNeeded })
  }

  async #sourceOf(
    resource: GroupResource,
    kind: string,
    state: StorageState | undefined,
    signal: AbortSignal,
  ): Promise<SourceView | 'unreachable' | undefined> {
    const record = this.#store<StorageAgreement>(storageAgreements)?.get(agreementName(resource))
    if (record && !isUnused(record)) return recordView(record, kind)
    const origin = await this.#origins.view(resource, kind, signal)
    // Never from a weaker source: a StorageVersion in this cluster may be an old copy of that record.
    if (origin === 'no record') return undefined
    if (origin) return origin
    if (record) return recordView(record, kind)
    const published = this.#publishedBy(resource, kind)
    // If the cluster has records, a resource about which no server publishes anything is left alone.
    if (published || this.#isServed(storageAgreements)) return published
    if ((state?.status?.currentStorageVersionHashes ?? []).length > 0) return { kind: 'reporters' }
    const seen = this.#hashes.get(groupResourceText(resource))
    return seen && { kind: 'discovery', ...seen }
  }

  /** What servers publish in a StorageVersion. */
  #publishedBy(resource: GroupResource, kind: string): StorageVersionView | undefined {
    const storageVersion = this.#store<StorageVersion>(storageVersions)?.get(agreementName(resource))
    if (!storageVersion || storageVersion.metadata.annotations?.[originsAnnotation] !== undefined)
      return undefined
    const isServedElsewhere = this.#services.some((each) => passesOn(each, resource.group))
    if (this.#isServed(storageAgreements)) {
      // The record of a resource of this cluster may arrive after its StorageVersion.
      const isSynced = this.#watched.get(groupResourceText(leases))?.informer.synced ?? false
      if (!isServedElsewhere || !isSynced) return undefined
    }
    const identities = [...(this.#store<Lease>(leases)?.values() ?? [])].filter(isIdentityLease)
    const names = identities.map(({ metadata }) => metadata.name ?? '')
    const definition = this.#store<CustomResourceDefinition>(customResourceDefinitions)?.get(
      groupResourceText(resource),
    )
    return storageVersionView(resource, storageVersion, kind, {
      ...{ identities: names, definition, isServedElsewhere },
    })
  }

  get #services(): readonly ApiService[] {
    return [...(this.#store<ApiService>(apiServices)?.values() ?? [])]
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
