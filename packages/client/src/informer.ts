import type { ApiObject } from '@strata/api'
import {
  abortable,
  backoffMs,
  type Cancel,
  type Clock,
  DeadlineExceeded,
  deadline,
  InvariantBroken,
  jitter,
  type Log,
  type Random,
  sleep,
} from '@strata/world'
import { isExpired, MalformedAnswer, retryAfterMs } from './errors.ts'
import { type ObjectChange, ObjectStore } from './object-store.ts'
import type { ResourceClient } from './resource-client.ts'

const listTimeoutMs = 60_000
/** The server ends a watch after one to two times this long, as with client-go. */
const watchSeconds = 300

export interface InformerOptions<T extends ApiObject> {
  readonly world: { readonly clock: Clock; readonly random: Random; readonly log: Log }
  /** Left out: all namespaces. */
  readonly namespace?: string | undefined
  /** Default: all objects. Objects that do not match count as absent. */
  readonly fieldSelector?: string | undefined
  readonly onChange?: (change: ObjectChange<T>) => void
  /** After so long without any event, not even a bookmark, the connection counts as dead. */
  readonly stallMs?: number
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number }
}

/** A local copy of a resource that follows the server: LIST, then WATCH from there, for ever. */
export interface Informer<T extends ApiObject> {
  /** The first list is in the store. From then on the store is a consistent state, though perhaps an old one. */
  readonly synced: boolean
  /** By `namespace/name`. */
  readonly store: ReadonlyMap<string, T>
  /** Notifies the listener of every change from now on, after an addition for each object that is there already. */
  subscribe(listener: (change: ObjectChange<T>) => void): Cancel
  whenSynced(signal: AbortSignal): Promise<void>
  /** Runs until the signal is aborted. Failures of the server or the network do not end it; a bug does. */
  run(signal: AbortSignal): Promise<void>
}

export function createInformer<T extends ApiObject>(
  resource: ResourceClient<T>,
  options: InformerOptions<T>,
): Informer<T> {
  return new FollowingInformer(resource, options)
}

class FollowingInformer<T extends ApiObject> implements Informer<T> {
  readonly #resource: ResourceClient<T>
  readonly #options: InformerOptions<T>
  readonly #log: Log
  readonly #where: Pick<InformerOptions<T>, 'namespace' | 'fieldSelector'>
  readonly #store = new ObjectStore<T>()
  readonly #listeners = new Set<(change: ObjectChange<T>) => void>()
  readonly #firstList = Promise.withResolvers<void>()
  #synced = false
  #failures = 0

  constructor(resource: ResourceClient<T>, options: InformerOptions<T>) {
    const { world, namespace, fieldSelector, onChange } = options
    this.#resource = resource
    this.#options = options
    this.#log = world.log.with({ informer: resource.address.resource })
    this.#where = { namespace, fieldSelector }
    if (onChange) this.#listeners.add(onChange)
  }

  get synced(): boolean {
    return this.#synced
  }

  get store(): ReadonlyMap<string, T> {
    return this.#store.objects
  }

  subscribe(listener: (change: ObjectChange<T>) => void): Cancel {
    for (const [key, object] of this.#store.objects) listener({ kind: 'added', key, object })
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return abortable(this.#firstList.promise, signal)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let error: unknown
      try {
        if (this.#store.resourceVersion === undefined) await this.#list(signal)
        await this.#watch(signal)
      } catch (thrown) {
        if (thrown instanceof InvariantBroken) throw thrown
        if (signal.aborted) return
        error = thrown
        this.#recover(error)
      }
      await this.#pause(error, signal).catch(() => {})
    }
  }

  /**
   * Only an expired revision needs a new list. After any other failure the watch resumes: a list costs more, and could hide that
   * an object was deleted and created again in between.
   */
  #recover(error: unknown): void {
    if (isExpired(error)) this.#store.forgetResourceVersion()
    const facts = { error: String(error), relist: isExpired(error) }
    const isQuiet = error instanceof DeadlineExceeded && this.#store.resourceVersion !== undefined
    if (isQuiet) this.#log.info('the watch was silent; resuming', facts)
    else this.#log.warn('the watch failed; resuming', facts)
  }

  async #list(signal: AbortSignal): Promise<void> {
    const limit = deadline(this.#options.world.clock, listTimeoutMs, signal)
    try {
      const { items, metadata } = await this.#resource.list(this.#where, limit.signal)
      const { resourceVersion } = metadata
      // Without it the watch has no start, and would miss deletions.
      if (!resourceVersion) throw new MalformedAnswer('a list without resourceVersion')
      this.#notify(this.#store.replace(items, resourceVersion))
      this.#synced = true
      this.#firstList.resolve()
    } finally {
      limit.dispose()
    }
  }

  /** Watches until the server ends the watch. The store remembers where to resume. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { world, stallMs = 180_000 } = this.#options
    const { clock, random } = world
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    // A signal that was aborted as the list ended calls no listener: the watch would go on until its next bookmark.
    if (signal.aborted) stop()
    const stalled = (): void => {
      // kube-apiserver sends no bookmarks for many minutes if nothing changes. If each silence counted as a failure, the
      // informer of a quiet resource would back off for half a minute again and again.
      this.#failures = 0
      controller.abort(new DeadlineExceeded(`no event within ${stallMs} ms`))
    }
    let cancelStall = clock.after(stallMs, stalled)
    try {
      const timeoutSeconds = Math.floor(watchSeconds * (1 + random.fraction()))
      const { resourceVersion } = this.#store
      const watching = { ...this.#where, resourceVersion, bookmarks: true, timeoutSeconds }
      for await (const event of this.#resource.watch(watching, controller.signal)) {
        // This event may have been on its way when the signal was aborted.
        signal.throwIfAborted()
        cancelStall()
        cancelStall = clock.after(stallMs, stalled)
        this.#notify(this.#store.apply(event))
        this.#failures = 0
      }
    } finally {
      cancelStall()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Pauses between two requests. Otherwise a server that ends every watch at once would be asked without pause. */
  #pause(error: unknown, signal: AbortSignal): Promise<void> {
    const { world, backoff = { firstMs: 500, maxMs: 30_000 } } = this.#options
    const waitMs = backoffMs({ ...backoff, attempts: 0 }, this.#failures++)
    const jittered = jitter(world.random, Math.max(waitMs, retryAfterMs(error)), 0.25)
    return sleep(world.clock, jittered, signal)
  }

  #notify(changes: readonly ObjectChange<T>[]): void {
    for (const change of changes) {
      for (const listener of [...this.#listeners]) this.#notifyOne(listener, change)
    }
  }

  /**
   * A listener that throws must not keep later changes from the others. The store contains the change already, so no later
   * list or watch would bring it again, and the first list would never count as synced.
   */
  #notifyOne(listener: (change: ObjectChange<T>) => void, change: ObjectChange<T>): void {
    try {
      listener(change)
    } catch (thrown) {
      if (thrown instanceof InvariantBroken) throw thrown
      const { kind, key } = change
      this.#log.error('a listener threw; continuing', { change: `${kind} ${key}`, error: textOf(thrown) })
    }
  }
}

/** With the stack, so that the bug can be found. */
const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown)
