import { abortable, jitter, sleep, type World } from '@strata/world'
import {
  type Change,
  type Entry,
  type Key,
  type Revision,
  RevisionCompacted,
  type Store,
} from '../store/index.ts'
import { ReadBarrier } from './barrier.ts'
import { Collection } from './collection.ts'

const pageSize = 500
/**
 * Events are dropped after five to six of these intervals, about when the store by default drops its own history. Otherwise
 * the memory of a server grows for hours, until each resource has the maximum number of events.
 */
const historyIntervalMs = 60_000
const historyIntervals = 5
/** Prefixes below the root that hold no resources. */
const ownPrefixes = new Set(['strata.dev/ticks', 'strata.dev/names', 'strata.dev/writers'])
/** How far back the first read begins, so that clients of a restarted server need not all list again. */
const pastRevisions = 5_000

/**
 * One copy of the whole store, shared by all readers and watchers: a list, then one watch from its revision, for ever. The first
 * list is of the past, if the store still has it: the watch then brings the changes since, which are kept like all others. If
 * history is lost the cache reloads and ends all watches, so that clients list again rather than miss a change.
 */
export class WatchCache {
  readonly barrier: ReadBarrier
  readonly #store: Store
  readonly #world: World
  readonly #root: Key
  readonly #collections = new Map<Key, Collection>()
  #reachedPresent = Promise.withResolvers<void>()
  #synced = false
  /** The content comes from a store that was replaced: it is reloaded as soon as that is allowed. */
  #isReplaced = false
  readonly #mayLoad: () => Promise<void>
  #readAt: Revision = 0
  /** Older revisions of clients may belong to a timeline of the store that is over. */
  #timelineFrom: Revision = 0

  constructor(options: {
    readonly store: Store
    readonly world: World
    /** Everything below this is read, e.g. `/registry/`. */
    readonly root: Key
    /** The prefixes of the resources, each ending in `/`. Those of custom resources are detected. */
    readonly prefixes: readonly Key[]
    readonly tick: (signal: AbortSignal) => Promise<void>
    /** Resolves when the store may be read: a replaced store needs recovery first. Resolves at once by default. */
    readonly mayLoad?: () => Promise<void>
  }) {
    this.#store = options.store
    this.#world = options.world
    this.#root = options.root
    this.#mayLoad = options.mayLoad ?? (async () => {})
    this.barrier = new ReadBarrier(options.store, options.world, options.tick)
    for (const prefix of options.prefixes) this.#collections.set(prefix, new Collection(prefix))
  }

  /** The cache has reached the revision that was newest at its start. Before that it holds the past, or nothing; readers wait. */
  get synced(): boolean {
    return this.#synced
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    if (!this.#synced) await abortable(this.#reachedPresent.promise, signal)
  }

  /**
   * The store was replaced (rule 19). From now on nothing of the content is shown: requests wait, as they do while a server
   * starts. The content stays until everything is reloaded. Otherwise the followers of CRDs or roles would see all of them
   * deleted for a moment.
   */
  storeReplaced(error: Error): void {
    this.#isReplaced = true
    if (this.#synced) this.#reachedPresent = Promise.withResolvers<void>()
    this.#synced = false
    this.barrier.forget(error)
    this.#timelineFrom = 0
    for (const collection of this.#collections.values()) collection.beginTimeline(0)
  }

  /**
   * Another server has seen more of a timeline that is over (rule 19): a watch from an older revision, open or new, gets 410. The
   * content is of the present timeline, and stays.
   */
  forgetBefore(revision: Revision): void {
    this.#timelineFrom = revision
    for (const collection of this.#collections.values()) collection.beginTimeline(revision)
  }

  collection(prefix: Key): Collection {
    const found = this.#collections.get(prefix)
    if (found) return found
    if (!this.#isOfCustomResource(prefix)) throw new RangeError(`no collection for ${prefix}`)
    return this.#collectionFor(prefix)
  }

  /** Runs until the signal is aborted. Calls `onSynced` when the state is complete, also after each reload. */
  async run(signal: AbortSignal, onSynced: () => void): Promise<void> {
    let failures = 0
    let lastReason = ''
    void this.#forgetOld(signal)
    while (!signal.aborted) {
      try {
        await abortable(this.#mayLoad(), signal)
        const { revision, newest } = await this.#load(signal)
        const reached = (): void => {
          if (this.#isReplaced) return
          this.#synced = true
          this.#reachedPresent.resolve()
          onSynced()
        }
        // Replaced since the read: the watch would begin at a revision of another store.
        if (this.#isReplaced) continue
        this.barrier.reach(newest, signal).then(reached, () => {})
        for await (const batch of this.#store.watch(this.#root, revision, signal)) {
          // A layer below may have held the batch while the store was replaced: then it belongs to the old timeline.
          if (this.#isReplaced) break
          for (const change of batch.changes) this.#apply(change)
          this.barrier.advance(batch.revision)
          failures = 0
        }
      } catch (error) {
        if (signal.aborted) return
        const compacted = error instanceof RevisionCompacted
        // Logged once while the same reason lasts: a store that is gone repeats it.
        const reason = String(error)
        if (failures === 0 || reason !== lastReason)
          this.#world.log.warn('watch cache is reloading from the store', { reason, compacted })
        lastReason = reason
        const pauseMs = Math.min(1_000, 200 * 2 ** Math.min(failures++, 8))
        await sleep(this.#world.clock, jitter(this.#world.random, pauseMs, 0.5), signal).catch(() => {})
      }
    }
  }

  async #forgetOld(signal: AbortSignal): Promise<void> {
    let applied: Revision[] = []
    while (!signal.aborted) {
      await sleep(this.#world.clock, historyIntervalMs, signal).catch(() => {})
      const revision = this.barrier.applied
      // The store was replaced: earlier revisions mean something else.
      if (revision < (applied.at(-1) ?? 0)) applied = []
      applied.push(revision)
      const old = applied.length > historyIntervals ? applied.shift() : undefined
      if (old === undefined) continue
      for (const collection of this.#collections.values()) collection.forgetUpTo(old)
    }
  }

  /** The revision to watch from, and the revision that was newest. */
  async #load(signal: AbortSignal): Promise<{ readonly revision: Revision; readonly newest: Revision }> {
    // The past is loaded for its history, never to be served as the present: clients come from other servers, and from this one
    // before its restart, and have seen the present. So it is below the barrier's floor until the watch has reached the newest
    // revision. A reload reads the present, not the past. Nor is the past of a replaced store loaded: clients have not seen it.
    if (this.#isReplaced || this.#readAt > 0) {
      const revision = await this.#read(undefined, signal)
      return { revision, newest: revision }
    }
    const newest = await this.#store.currentRevision(signal)
    this.barrier.raiseFloor(newest)
    const past = Math.max(1, newest - pastRevisions)
    const revision = await this.#read(past, signal)
      .catch((error: unknown) => {
        if (error instanceof RevisionCompacted) return this.#read(error.compactedRevision, signal)
        throw error
      })
      .catch((error: unknown) => {
        // Compacted again while it was read: then without a past.
        if (error instanceof RevisionCompacted) return this.#read(undefined, signal)
        throw error
      })
    return { revision, newest }
  }

  /** Fills the collections with the state at a revision, by default the newest. */
  async #read(at: Revision | undefined, signal: AbortSignal): Promise<Revision> {
    const byPrefix = new Map<Key, Entry[]>()
    let revision = at
    let after: Key | undefined
    for (;;) {
      const page = await this.#store.list({ prefix: this.#root, limit: pageSize, after, revision }, signal)
      revision = page.revision
      for (const entry of page.entries) {
        const prefix = this.#prefixOf(entry.key)
        if (prefix === undefined) continue
        const others = byPrefix.get(prefix)
        if (others) others.push(entry)
        else byPrefix.set(prefix, [entry])
      }
      if (page.remaining === 0) break
      after = page.entries.at(-1)?.key
    }
    for (const prefix of byPrefix.keys()) this.#collectionFor(prefix)
    this.#readAt = revision
    const isReplaced = this.#isReplaced
    this.#isReplaced = false
    if (isReplaced) this.barrier.restart(revision)
    for (const [prefix, collection] of this.#collections)
      collection.reset(byPrefix.get(prefix) ?? [], revision, isReplaced)
    this.barrier.advance(revision)
    return revision
  }

  #apply(change: Change): void {
    const prefix = this.#prefixOf(change.key)
    if (prefix === undefined) return
    const collection = this.#collectionFor(prefix)
    if (change.kind === 'put') collection.put(change)
    else collection.delete(change.key, change.revision)
  }

  /** `/registry/configmaps/…` or `/registry/<group>/<resource>/…`: one or two segments name the resource. */
  #prefixOf(key: Key): Key | undefined {
    const first = key.indexOf('/', this.#root.length)
    if (first < 0) return undefined
    const short = key.slice(0, first + 1)
    if (this.#collections.has(short)) return short
    const second = key.indexOf('/', first + 1)
    if (second < 0) return undefined
    const long = key.slice(0, second + 1)
    return this.#collections.has(long) || this.#isOfCustomResource(long) ? long : undefined
  }

  /**
   * Objects of custom resources are kept even before their CRD is known: it may come by the same watch a moment later, and all
   * its objects must be there then. The group of a custom resource contains a dot, unlike any other first part of a key; our own
   * prefixes are excluded.
   */
  #isOfCustomResource(prefix: Key): boolean {
    const [group = '', resource = '', rest] = prefix.slice(this.#root.length).split('/')
    return group.includes('.') && resource !== '' && rest === '' && !ownPrefixes.has(`${group}/${resource}`)
  }

  #collectionFor(prefix: Key): Collection {
    let collection = this.#collections.get(prefix)
    if (!collection) {
      collection = new Collection(prefix)
      // It is empty, and was at the last full read: any later change would have created it.
      collection.reset([], this.#readAt)
      collection.beginTimeline(this.#timelineFrom)
      this.#collections.set(prefix, collection)
    }
    return collection
  }
}
