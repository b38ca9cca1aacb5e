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

export interface InformerOptions<T extends ApiObject> {
  readonly world: { readonly clock: Clock; readonly random: Random; readonly log: Log }
  /** Left out: all namespaces. */
  readonly namespace?: string
  /** Default: all objects. Objects that do not match count as absent. */
  readonly fieldSelector?: string
  readonly onChange?: (change: ObjectChange<T>) => void
  readonly listTimeoutMs?: number
  /** The server ends a watch after one to two times this long, as with client-go. */
  readonly watchSeconds?: number
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
  const { world, namespace, fieldSelector, onChange, backoff = { firstMs: 500, maxMs: 30_000 } } = options
  const { listTimeoutMs = 60_000, watchSeconds = 300, stallMs = 180_000 } = options
  const { clock, random } = world
  const log = world.log.with({ informer: resource.address.resource })
  const where = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  }
  const store = new ObjectStore<T>()
  const listeners = new Set<(change: ObjectChange<T>) => void>(onChange ? [onChange] : [])
  const firstList = Promise.withResolvers<void>()
  let synced = false
  let failures = 0

  /**
   * A listener that throws must not keep later changes from the others. The store contains the change already, so no later
   * list or watch would bring it again, and the first list would never count as synced.
   */
  const notifyOne = (listener: (change: ObjectChange<T>) => void, change: ObjectChange<T>): void => {
    try {
      listener(change)
    } catch (thrown) {
      if (thrown instanceof InvariantBroken) throw thrown
      const { kind, key } = change
      log.error('a listener threw; continuing', { change: `${kind} ${key}`, error: textOf(thrown) })
    }
  }

  const notify = (changes: readonly ObjectChange<T>[]): void => {
    for (const change of changes) for (const listener of [...listeners]) notifyOne(listener, change)
  }

  const list = async (signal: AbortSignal): Promise<void> => {
    const limit = deadline(clock, listTimeoutMs, signal)
    try {
      const { items, metadata } = await resource.list(where, limit.signal)
      const { resourceVersion } = metadata
      // Without it the watch has no start, and would miss deletions.
      if (!resourceVersion) throw new MalformedAnswer('a list without resourceVersion')
      notify(store.replace(items, resourceVersion))
      synced = true
      firstList.resolve()
    } finally {
      limit.dispose()
    }
  }

  /** Watches until the server ends the watch. The store remembers where to resume. */
  const watch = async (signal: AbortSignal): Promise<void> => {
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const stalled = (): void => {
      // kube-apiserver sends no bookmarks for many minutes if nothing changes. If each silence counted as a failure, the
      // informer of a quiet resource would back off for half a minute again and again.
      failures = 0
      controller.abort(new DeadlineExceeded(`no event within ${stallMs} ms`))
    }
    let cancelStall = clock.after(stallMs, stalled)
    try {
      const timeoutSeconds = Math.floor(watchSeconds * (1 + random.fraction()))
      const from = store.resourceVersion
      const place = from === undefined ? {} : { resourceVersion: from }
      const watching = { ...where, ...place, bookmarks: true, timeoutSeconds }
      for await (const event of resource.watch(watching, controller.signal)) {
        // This event may have been on its way when the signal was aborted.
        signal.throwIfAborted()
        cancelStall()
        cancelStall = clock.after(stallMs, stalled)
        notify(store.apply(event))
        failures = 0
      }
    } finally {
      cancelStall()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Pauses between two requests. Otherwise a server that ends every watch at once would be asked without pause. */
  const pause = (error: unknown, signal: AbortSignal): Promise<void> => {
    const waitMs = backoffMs({ ...backoff, attempts: 0 }, failures++)
    return sleep(clock, jitter(random, Math.max(waitMs, retryAfterMs(error)), 0.25), signal)
  }

  return {
    get synced() {
      return synced
    },
    store: store.objects,
    subscribe: (listener) => {
      for (const [key, object] of store.objects) listener({ kind: 'added', key, object })
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    whenSynced: (signal) => abortable(firstList.promise, signal),
    run: async (signal) => {
      while (!signal.aborted) {
        let error: unknown
        try {
          if (store.resourceVersion === undefined) await list(signal)
          await watch(signal)
        } catch (thrown) {
          if (thrown instanceof InvariantBroken) throw thrown
          if (signal.aborted) return
          error = thrown
          // Only an expired revision needs a new list. After any other failure the watch resumes: a list costs more, and
          // could hide that an object was deleted and created again in between.
          if (isExpired(error)) store.forgetResourceVersion()
          const facts = { error: String(error), relist: isExpired(error) }
          const isQuiet = error instanceof DeadlineExceeded && store.resourceVersion !== undefined
          if (isQuiet) log.info('the watch was silent; resuming', facts)
          else log.warn('the watch failed; resuming', facts)
        }
        await pause(error, signal).catch(() => {})
      }
    },
  }
}

/** With the stack, so that the bug can be found. */
const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown)
