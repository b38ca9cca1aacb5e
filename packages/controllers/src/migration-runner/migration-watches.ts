import { storageAgreements } from '@strata/api'
import {
  type Client,
  createInformer,
  type DiscoveredResource,
  type Discovery,
  type Informer,
  type ResourceClient,
} from '@strata/client'
import {
  type MigrationGroup,
  type MigrationObject,
  type MigrationView,
  migrationGroups,
  viewOf,
} from '@strata/insight'
import { abortable, InvariantBroken, sleep, type World } from '@strata/world'
import { discoverEveryMs } from '../engine/index.ts'

export interface MigrationWatchesOptions {
  readonly world: Pick<World, 'clock' | 'random' | 'log'>
  readonly client: Client
  /** Called when a migration is created, changed or deleted; without a view if it is deleted. */
  readonly onChange: (uid: string, view: MigrationView | undefined) => void
}

interface Watched {
  readonly group: MigrationGroup
  readonly resource: DiscoveredResource
  readonly migrations: ResourceClient<MigrationObject>
  readonly informer: Informer<MigrationObject>
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/** The version of migrations in each group: the first one that is served and can be listed, watched and patched. */
export function decideMigrationKinds(
  resources: readonly DiscoveredResource[],
): readonly (DiscoveredResource & { readonly group: MigrationGroup })[] {
  return migrationGroups.flatMap((group) => {
    const found = resources.find(
      (each) =>
        each.group === group &&
        each.resource === 'storageversionmigrations' &&
        ['list', 'watch', 'patch'].every((verb) => each.verbs.includes(verb)),
    )
    return found ? [{ ...found, group }] : []
  })
}

/** Watches the migrations of both groups, each from the moment that it is served. */
export class MigrationWatches {
  readonly #options: MigrationWatchesOptions
  readonly #watched = new Map<string, Watched>()
  readonly #synced = Promise.withResolvers<void>()
  #isStrata = false

  constructor(options: MigrationWatchesOptions) {
    this.#options = options
  }

  get views(): readonly MigrationView[] {
    return [...this.#watched.values()].flatMap(({ group, informer }) =>
      [...informer.store.values()].map((each) => viewOf(group, each)),
    )
  }

  /** Whether the servers have agreement records, and so are Strata's. Once seen it stays so. */
  get isStrata(): boolean {
    return this.#isStrata
  }

  /** Lists the migrations from the servers, not from the watches. */
  async list(signal: AbortSignal): Promise<readonly MigrationView[]> {
    const lists = [...this.#watched.values()].map(async ({ group, migrations }) =>
      (await migrations.list({}, signal)).items.map((each) => viewOf(group, each)),
    )
    return (await Promise.all(lists)).flat()
  }

  /** The client for migrations of a group; undefined if the group is not served. */
  clientOf(group: MigrationGroup): ResourceClient<MigrationObject> | undefined {
    return [...this.#watched.values()].findLast((each) => each.group === group)?.migrations
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return abortable(this.#synced.promise, signal)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world, client } = this.#options
    let failures = 0
    try {
      while (!signal.aborted) {
        let waitMs = discoverEveryMs
        try {
          this.#follow(await client.discover(signal))
          failures = 0
          this.#tellWhenListed(signal)
        } catch (error) {
          if (error instanceof InvariantBroken) throw error
          if (!signal.aborted) world.log.warn('discovery failed; retrying', { error: String(error) })
          waitMs = Math.min(discoverEveryMs, 500 * 2 ** failures++)
        }
        await sleep(world.clock, waitMs, signal).catch(() => {})
      }
    } finally {
      for (const { stop } of this.#watched.values()) stop.abort(signal.reason)
      await Promise.all([...this.#watched.values()].map(({ ended }) => ended))
    }
  }

  #follow({ resources, failures }: Discovery): void {
    this.#isStrata ||= resources.some(
      ({ group, resource }) => group === storageAgreements.group && resource === storageAgreements.resource,
    )
    const wanted = new Map(decideMigrationKinds(resources).map((each) => [keyOf(each), each] as const))
    // New versions first, so that a running migration always has a watch.
    for (const [key, resource] of wanted) if (!this.#watched.has(key)) this.#watch(key, resource)
    // A group whose discovery failed is not gone.
    if (failures.length > 0) return
    for (const [key, watched] of this.#watched) if (!wanted.has(key)) this.#forget(key, watched)
  }

  #watch(key: string, resource: DiscoveredResource & { readonly group: MigrationGroup }): void {
    const { world, client, onChange } = this.#options
    const { group } = resource
    const stop = new AbortController()
    const migrations = client.resource<MigrationObject>(resource)
    const informer = createInformer(migrations, {
      world,
      onChange: ({ kind, object }) =>
        onChange(object.metadata.uid ?? '', kind === 'deleted' ? undefined : viewOf(group, object)),
    })
    const ended = informer.run(stop.signal)
    this.#watched.set(key, { group, resource, migrations, informer, stop, ended })
  }

  #forget(key: string, { group, informer, stop }: Watched): void {
    this.#watched.delete(key)
    stop.abort(new Error('no longer served'))
    // The migrations still exist in another version.
    if (this.clientOf(group)) return
    for (const { metadata } of informer.store.values()) this.#options.onChange(metadata.uid ?? '', undefined)
  }

  #tellWhenListed(signal: AbortSignal): void {
    const lists = [...this.#watched.values()].map(({ informer }) => informer.whenSynced(signal))
    Promise.all(lists).then(
      () => this.#synced.resolve(),
      () => {},
    )
  }
}

function keyOf({ group, versionName }: DiscoveredResource): string {
  return `${group}/${versionName}`
}
