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
 * Events are remembered for at least five of these intervals: about as long as the store keeps its own history by default.
 * Otherwise the memory of a server grows for hours, until each of its resources has as many events as may be kept.
 */
const historyIntervalMs = 60_000
const historyIntervals = 5
/** Below the root, and no resources. */
const ownPrefixes = new Set(['strata.dev/ticks', 'strata.dev/names', 'strata.dev/writers'])
/** How far back the first reading begins, so that clients of a server that was started again need not all list again. */
const pastRevisions = 5_000

/**
 * One reading of the whole store, shared by all readers and watchers: a list, then one watch from its
 * revision, for ever. The first list is of the past, if the store still has it: the watch then brings what has
 * happened since, which is remembered like everything else. If history is lost it reads again and ends all
 * watches, so that clients list again rather than miss a change.
 */
export class WatchCache {
  readonly barrier: ReadBarrier
  readonly #store: Store
  readonly #world: World
  readonly #root: Key
  readonly #collections = new Map<Key, Collection>()
  #reachedPresent = Promise.withResolvers<void>()
  #synced = false
  /** What is here is of a store that was replaced: it is read anew as soon as that is allowed. */
  #isReplaced = false
  readonly #mayLoad: () => Promise<void>
  #readAt: Revision = 0

  constructor(options: {
    readonly store: Store
    readonly world: World
    /** Everything below this is read, e.g. `/registry/`. */
    readonly root: Key
    /** Of the resources, each ending in `/`. Those of custom resources are found by themselves. */
    readonly prefixes: readonly Key[]
    readonly tick: (signal: AbortSignal) => Promise<void>
    /** Resolves when the store may be read: after it was replaced, something has to be seen to first. At once by default. */
    readonly mayLoad?: () => Promise<void>
  }) {
    this.#store = options.store
    this.#world = options.world
    this.#root = options.root
    this.#mayLoad = options.mayLoad ?? (async () => {})
    this.barrier = new ReadBarrier(options.store, options.world, options.tick)
    for (const prefix of options.prefixes) this.#collections.set(prefix, new Collection(prefix))
  }

  /** It has come to what was newest when it began. Before that it shows the past, or nothing. */
  get synced(): boolean {
    return this.#synced
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    if (!this.#synced) await abortable(this.#reachedPresent.promise, signal)
  }

  /**
   * The store was replaced (rule 19). Nothing of what is here is shown to anyone from now on: requests wait, as they do
   * while a server starts. It stays until everything has been read anew. Otherwise whoever follows definitions or roles would
   * see all of them go for a moment.
   */
  storeReplaced(error: Error): void {
    this.#isReplaced = true
    if (this.#synced) this.#reachedPresent = Promise.withResolvers<void>()
    this.#synced = false
    this.barrier.forget(error)
  }

  collection(prefix: Key): Collection {
    const found = this.#collections.get(prefix)
    if (found) return found
    if (!this.#isOfCustomResource(prefix)) throw new RangeError(`no collection for ${prefix}`)
    return this.#collectionFor(prefix)
  }

  /** Runs until the signal is aborted. `onSynced` is called once what stood in the beginning is here. */
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
        // Replaced since it was read: then the watch would begin at a revision of another store.
        if (this.#isReplaced) continue
        this.barrier.reach(newest, signal).then(reached, () => {})
        for await (const batch of this.#store.watch(this.#root, revision, signal)) {
          // A layer below may have held it while the store was replaced: then it is of the timeline that is over.
          if (this.#isReplaced) break
          for (const change of batch.changes) this.#apply(change)
          this.barrier.advance(batch.revision)
          failures = 0
        }
      } catch (error) {
        if (signal.aborted) return
        const compacted = error instanceof RevisionCompacted
        // Once for as long as a reason lasts: a store that is gone for good gives the same one again and again.
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
      // The store was replaced: revisions of before mean something else.
      if (revision < (applied.at(-1) ?? 0)) applied = []
      applied.push(revision)
      const old = applied.length > historyIntervals ? applied.shift() : undefined
      if (old === undefined) continue
      for (const collection of this.#collections.values()) collection.forgetUpTo(old)
    }
  }

  /** Where the watch has to begin, and where it has caught up with the present. */
  async #load(signal: AbortSignal): Promise<{ readonly revision: Revision; readonly newest: Revision }> {
    // The past is loaded for its history, never to be read as if it were now: clients come from other servers, and from
    // this one before it was started again, and have seen the present. So it is below the barrier's floor until the watch
    // has come to what was newest here. What has been read once is read again as it is now, and not from the past.
    // Nor is the past of a store that was replaced: it is not the past that clients have seen.
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
        // Compacted once more while it was read: then without a past.
        if (error instanceof RevisionCompacted) return this.#read(undefined, signal)
        throw error
      })
    return { revision, newest }
  }

  /** Fills the collections with the state at a revision, the newest if none is given. */
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
   * Objects of custom resources are kept whether or not their definition is known here yet: it may come by the same
   * watch a moment later, and what it defines must then be all there. The group of a custom resource has a dot in it,
   * as no other first part of a key has; what is ours alone is nobody's resource.
   */
  #isOfCustomResource(prefix: Key): boolean {
    const [group = '', resource = '', rest] = prefix.slice(this.#root.length).split('/')
    return group.includes('.') && resource !== '' && rest === '' && !ownPrefixes.has(`${group}/${resource}`)
  }

  #collectionFor(prefix: Key): Collection {
    let collection = this.#collections.get(prefix)
    if (!collection) {
      collection = new Collection(prefix)
      // It is empty, and was when everything was last read: whatever came since would have made it.
      collection.reset([], this.#readAt)
      this.#collections.set(prefix, collection)
    }
    return collection
  }
}
