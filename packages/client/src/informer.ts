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
  /** Left out: all of them. The others are as if they were not there. */
  readonly fieldSelector?: string
  readonly onChange?: (change: ObjectChange<T>) => void
  readonly listTimeoutMs?: number
  /** The server ends a watch after five to ten minutes of this, as informers elsewhere ask for. */
  readonly watchSeconds?: number
  /** Nothing came for so long, not even a bookmark: the connection is dead without knowing it. */
  readonly stallMs?: number
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number }
}

/** A copy of a resource that follows the server: LIST, then WATCH from there, for ever. */
export interface Informer<T extends ApiObject> {
  /** The first list has been taken in. From then on the store is a true state, though maybe an old one. */
  readonly synced: boolean
  /** By `namespace/name`. */
  readonly store: ReadonlyMap<string, T>
  /** From now on; what is there already is told as additions first. */
  subscribe(listener: (change: ObjectChange<T>) => void): Cancel
  whenSynced(signal: AbortSignal): Promise<void>
  /** Until the signal is aborted. Failures of the server or the network never end it; a bug does. */
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
   * The store has taken the change in already, and no later list or watch brings it again. Were one who fails in hearing it
   * to interrupt the telling, the changes behind it would be lost to everybody, and the first list would never be done.
   */
  const tellOne = (listener: (change: ObjectChange<T>) => void, change: ObjectChange<T>): void => {
    try {
      listener(change)
    } catch (thrown) {
      if (thrown instanceof InvariantBroken) throw thrown
      const { kind, key } = change
      log.error('a listener failed by a bug; going on', { change: `${kind} ${key}`, error: textOf(thrown) })
    }
  }

  const tell = (changes: readonly ObjectChange<T>[]): void => {
    for (const change of changes) for (const listener of [...listeners]) tellOne(listener, change)
  }

  const list = async (signal: AbortSignal): Promise<void> => {
    const limit = deadline(clock, listTimeoutMs, signal)
    try {
      const { items, metadata } = await resource.list(where, limit.signal)
      const { resourceVersion } = metadata
      // Without it there is no place to watch from, and a watch from nowhere would miss deletions.
      if (!resourceVersion) throw new MalformedAnswer('a list without resourceVersion')
      tell(store.replace(items, resourceVersion))
      synced = true
      firstList.resolve()
    } finally {
      limit.dispose()
    }
  }

  /** Until the server ends the watch. Afterwards the store knows where to go on. */
  const watch = async (signal: AbortSignal): Promise<void> => {
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const stalled = (): void => {
      // Where nothing happens, kube-apiserver sends no bookmarks for many minutes. Were each such silence a failure, an
      // informer of something quiet would be without a watch for half a minute again and again.
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
        // The last answer may have been on its way when we were told to stop.
        signal.throwIfAborted()
        cancelStall()
        cancelStall = clock.after(stallMs, stalled)
        tell(store.apply(event))
        failures = 0
      }
    } finally {
      cancelStall()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Between any two requests, or a server that ends every watch at once would be asked without pause. */
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
          // Only lost history asks for a new list. After any other failure the watch goes on where it was:
          // a list would be dearer, and could hide that an object was deleted and made again in between.
          if (isExpired(error)) store.forgetPlace()
          const facts = { error: String(error), relist: isExpired(error) }
          const isQuiet = error instanceof DeadlineExceeded && store.resourceVersion !== undefined
          if (isQuiet) log.info('silent; going on', facts)
          else log.warn('interrupted; going on', facts)
        }
        await pause(error, signal).catch(() => {})
      }
    },
  }
}

/** With its place: whoever reads of a bug wants to find it. */
const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown)
