import type { ApiObject, OwnerReference } from '@strata/api'
import {
  type Client,
  createInformer,
  type DiscoveredResource,
  type Discovery,
  type Informer,
  type ObjectChange,
  preferredResources,
} from '@strata/client'
import { abortable, type Cancel, InvariantBroken, sleep, type World } from '@strata/world'
import { discoverEveryMs, type Source } from '../engine/index.ts'
import { stateOfUnsynced, type Unseen } from './decide-complete.ts'
import type { OwnerGraph } from './owner-graph.ts'
import { RecentSet } from './recent-set.ts'

/** How long the first lists may take before the work starts without those that fail. */
const syncTimeoutMs = 30_000

export interface ResourceWatchesOptions {
  readonly world: Pick<World, 'clock' | 'random' | 'log'>
  readonly client: Client
  readonly graph: OwnerGraph
}

interface Watched {
  readonly resource: DiscoveredResource
  readonly informer: Informer<ApiObject>
  readonly stop: AbortController
  readonly ended: Promise<void>
  readonly sinceMs: number
}

/** Events have no owners and no dependents, and there are many. */
const ignored = new Set(['/events', 'events.k8s.io/events'])
const remembered = 100_000

/**
 * One metadata watch for every kind that can be deleted, also for kinds that appear later. Feeds the graph, and enqueues the
 * uids to reconcile.
 */
export class ResourceWatches implements Source {
  readonly #options: ResourceWatchesOptions
  readonly #watched = new Map<string, Watched>()
  readonly #listeners = new Set<(uid: string) => void>()
  readonly #deleted = new RecentSet(remembered)
  readonly #begun = Promise.withResolvers<void>()
  #hasBegun = false
  #known: readonly DiscoveredResource[] = []
  #undiscovered: Discovery['failures'] = []

  constructor(options: ResourceWatchesOptions) {
    this.#options = options
  }

  subscribe(enqueue: (uid: string) => void): Cancel {
    this.#listeners.add(enqueue)
    return () => this.#listeners.delete(enqueue)
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return abortable(this.#begun.promise, signal)
  }

  enqueue(uids: readonly string[]): void {
    for (const uid of uids) for (const listener of this.#listeners) listener(uid)
  }

  /** The watch saw the deletion. */
  wasDeleted(uid: string): boolean {
    return this.#deleted.has(uid)
  }

  /** The resource of the kind in a reference; undefined if it is unknown. */
  resourceOf({ apiVersion, kind }: OwnerReference): DiscoveredResource | undefined {
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : ''
    return this.#known.find((each) => each.group === group && each.kind === kind)
  }

  /** What the graph lacks: "it has no dependents" cannot follow from half a view. */
  unseen(): readonly Unseen[] {
    const nowMs = this.#options.world.clock.monotonicMs()
    const unsynced = [...this.#watched.values()].filter(({ informer }) => !informer.synced)
    return [
      ...unsynced.map(({ resource, sinceMs }) => {
        return { name: keyOf(resource), state: stateOfUnsynced(nowMs - sinceMs) }
      }),
      ...this.#undiscovered.map(({ groupVersion }) => ({ name: groupVersion, state: 'away' as const })),
    ]
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { world } = this.#options
    try {
      while (!signal.aborted) {
        try {
          await this.#discover(signal)
          if (!this.#hasBegun) await this.#firstSync(signal)
        } catch (error) {
          if (error instanceof InvariantBroken) throw error
          if (!signal.aborted) world.log.warn('discovery failed; retrying', { error: String(error) })
        }
        await sleep(world.clock, discoverEveryMs, signal).catch(() => {})
      }
    } finally {
      for (const each of this.#watched.values()) each.stop.abort(signal.reason)
      await Promise.all([...this.#watched.values()].map(({ ended }) => ended))
    }
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const { resources, failures } = await this.#options.client.discover(signal)
    this.#undiscovered = failures
    this.#known = preferredResources(resources)
    const wanted = new Map(
      this.#known.filter(isCollectable).map((resource) => [keyOf(resource), resource] as const),
    )
    for (const [key, resource] of wanted) if (!this.#watched.has(key)) this.#watch(key, resource)
    // A group whose discovery failed is not gone.
    if (failures.length > 0) return
    for (const [key, watched] of this.#watched) if (!wanted.has(key)) this.#forget(key, watched)
  }

  #watch(key: string, resource: DiscoveredResource): void {
    const { world, client } = this.#options
    const stop = new AbortController()
    const informer = createInformer(client.metadata(resource), {
      world,
      onChange: (change) => this.enqueue(this.#take(resource, change)),
    })
    const sinceMs = world.clock.monotonicMs()
    this.#watched.set(key, { resource, informer, stop, ended: informer.run(stop.signal), sinceMs })
  }

  #forget(key: string, { informer, stop }: Watched): void {
    stop.abort(new Error('no longer served'))
    this.#watched.delete(key)
    for (const { metadata } of informer.store.values()) {
      if (metadata.uid !== undefined) this.enqueue(this.#options.graph.remove(metadata.uid))
    }
  }

  #take(resource: DiscoveredResource, { kind, object }: ObjectChange<ApiObject>): readonly string[] {
    const { graph } = this.#options
    const { uid } = object.metadata
    if (uid === undefined) return []
    if (kind !== 'deleted') {
      // They are most of the metadata, and no decision needs them.
      delete object.metadata.managedFields
      return graph.put({ uid, resource, metadata: object.metadata })
    }
    this.#deleted.add(uid)
    return graph.remove(uid)
  }

  async #firstSync(signal: AbortSignal): Promise<void> {
    const all = Promise.all([...this.#watched.values()].map(({ informer }) => informer.whenSynced(signal)))
    await Promise.race([all, sleep(this.#options.world.clock, syncTimeoutMs, signal)])
    this.#hasBegun = true
    this.#begun.resolve()
  }
}

function keyOf({ group, resource }: DiscoveredResource): string {
  return `${group}/${resource}`
}

function isCollectable(resource: DiscoveredResource): boolean {
  return (
    ['delete', 'list', 'watch'].every((verb) => resource.verbs.includes(verb)) &&
    !ignored.has(keyOf(resource))
  )
}
