import { expired } from '@strata/api'
import { deadline, jitter } from '@strata/world'
import { whenConverted } from '../../codec/index.ts'
import type { Entry, Revision } from '../../store/index.ts'
import { type CacheEvent, type Collection, sharedIn, WatchBuffer } from '../../watch-cache/index.ts'
import { collectionOf, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { type Freshness, reachFreshness } from './freshness.ts'
import { cachedPage, readyPage } from './page.ts'
import type { Selection } from './selection.ts'
import { type EventType, transitionOf } from './transition.ts'

export type WatchItem =
  | { readonly kind: 'event'; readonly type: EventType; readonly event: CacheEvent }
  /** Everything up to here has been sent. */
  | { readonly kind: 'bookmark'; readonly revision: Revision }

export interface WatchRequest {
  readonly selection: Selection
  /** Events after a revision; or the existing objects as ADDED events, then all events after. */
  readonly begin: { readonly after: Exclude<Freshness, bigint> } | { readonly stateAt: Freshness }
  readonly bookmarks: boolean
  /** When the signal will be aborted; the last bookmark is sent shortly before. */
  readonly timeoutMs: number
}

export interface WatchStream {
  /** The initial state, if the request asks for it. */
  readonly initial: readonly Entry[] | undefined
  /** The events since a past revision, if the request asks for them. */
  readonly past: readonly WatchItem[]
  /** The revision up to which `initial` and `past` are complete. */
  readonly revision: Revision
  /** All later events. Ends when the watch must end; the client then starts a new one. */
  readonly live: WatchBuffer<WatchItem>
}

const beginMs = 60_000
const bookmarkMs = 60_000
/** As upstream: a client whose watch ends can resume from a recent revision. */
const lastBookmarkMs = 2_000
/** Memory of an item besides its value. */
const itemBytes = 200

/** The changes of a resource, in order and without gaps. */
export async function watch(
  registry: Registry,
  resource: ServedResource,
  request: WatchRequest,
  signal: AbortSignal,
): Promise<WatchStream> {
  await reachBeginning(registry, request.begin, signal)
  const collection = collectionOf(registry, resource)
  if (resource.codec.needsWebhook) await readyWatch(collection, request)
  // No await from here to the subscription: a change in between would be lost.
  const begun = (): WatchStream => beginWatch(registry, resource, request, signal)
  return resource.codec.needsWebhook ? whenConverted(begun) : begun()
}

/** Converts the objects that a watch starts with in advance, where a conversion webhook is needed. */
async function readyWatch(collection: Collection, { selection, begin }: WatchRequest): Promise<void> {
  if ('stateAt' in begin) return readyPage(collection, { selection, after: undefined, limit: undefined })
  const events =
    typeof begin.after === 'number' ? (collection.resume(begin.after, selection.scope) ?? []) : []
  await selection.ready(events.flatMap(valuesOf))
}

const valuesOf = ({ value, previous }: CacheEvent): Uint8Array[] => (previous ? [value, previous] : [value])

function beginWatch(
  registry: Registry,
  resource: ServedResource,
  { selection, begin, ...request }: WatchRequest,
  signal: AbortSignal,
): WatchStream {
  const collection = collectionOf(registry, resource)
  const { barrier } = registry.cache
  const asked = 'after' in begin && typeof begin.after === 'number' ? begin.after : undefined
  const after = asked ?? barrier.applied
  // A client that names a revision may have seen only part of it.
  const events = asked === undefined ? [] : collection.resume(asked, selection.scope)
  if (!events) throw expired(`too old resource version: ${after} (${collection.oldestRevision})`)
  const past = itemsOf(selection, events)
  const initial =
    'stateAt' in begin
      ? cachedPage(collection, { selection, after: undefined, limit: undefined }).entries
      : undefined
  const live = new LiveEvents(registry, selection, after)
  live.subscribe(collection, asked)
  if (request.bookmarks) live.sendBookmarks(request.timeoutMs)
  live.endWith(resource.replaced ? [signal, resource.replaced] : [signal])
  return { initial, past, revision: live.revision, live: live.buffer }
}

/** The events of a watch after its beginning: from the cache, in order, into the buffer of the client. */
class LiveEvents {
  readonly buffer = new WatchBuffer<WatchItem>(() => this.#stop())
  /** The events up to here are not live. */
  readonly revision: Revision
  readonly #registry: Registry
  readonly #selection: Selection
  /**
   * The changes of `revision`, if the client may have seen part of them. They are compared and sent when all of them are here:
   * they come in one batch, without an await in between.
   */
  #shared: CacheEvent[] | undefined
  /** The sending of the event before. */
  #before: Promise<void> | undefined
  #unsubscribe: () => void = doNothing
  #cancelBookmark: () => void = doNothing
  #ends: readonly AbortSignal[] = []
  readonly #onAbort = (): void => this.buffer.end()

  constructor(registry: Registry, selection: Selection, after: Revision) {
    const { applied } = registry.cache.barrier
    this.#registry = registry
    this.#selection = selection
    this.revision = Math.max(after, applied)
    this.#shared = after > applied ? [] : undefined
  }

  /** `asked` is the revision that the client has named. */
  subscribe(collection: Collection, asked = Number.POSITIVE_INFINITY): void {
    const error = 'the store was restored from a backup, or replaced; list again'
    this.#unsubscribe = collection.subscribe(
      {
        onEvent: (event) => this.#take(event),
        onReset: (isReplaced) => (isReplaced ? this.buffer.fail(expired(error)) : this.buffer.end()),
        onForgotten: (before) => {
          if (asked < before) this.buffer.fail(expired(error))
        },
      },
      this.#selection.scope,
    )
  }

  endWith(signals: readonly AbortSignal[]): void {
    this.#ends = signals
    for (const each of signals) each.addEventListener('abort', this.#onAbort, { once: true })
    if (signals.some(({ aborted }) => aborted)) this.buffer.end()
  }

  /** Everything that the cache has applied is in the buffer already, so the order is right. */
  sendBookmarks(timeoutMs: number): void {
    const { clock, random } = this.#registry.world
    const { barrier } = this.#registry.cache
    const lastMs = clock.monotonicMs() + timeoutMs - lastBookmarkMs
    const next = (): void => {
      const remaining = lastMs - clock.monotonicMs()
      if (remaining <= 0) return
      this.#cancelBookmark = clock.after(Math.min(remaining, jitter(random, bookmarkMs, 0.1)), () => {
        const revision = Math.max(this.revision, barrier.applied)
        // Nothing is applied while the cache reloads after the store was replaced: the watch is about to end.
        if (barrier.applied > 0) {
          this.#inOrder(undefined, () => this.buffer.push({ kind: 'bookmark', revision }, itemBytes))
        }
        next()
      })
    }
    next()
  }

  #take(event: CacheEvent): void {
    // A client that came from a server further ahead has seen these already, and maybe part of the newest.
    if (event.revision < this.revision) return
    if (event.revision === this.revision) {
      if (this.#shared?.push(event) === 1) queueMicrotask(() => this.#sendShared())
      return
    }
    this.#sendShared()
    this.#send(event)
  }

  #sendShared(): void {
    const held = this.#shared
    if (held === undefined) return
    this.#shared = undefined
    if (sharedIn(this.#selection.scope, held)) for (const event of held) this.#send(event)
  }

  #send(event: CacheEvent): void {
    this.#inOrder(this.#selection.ready(valuesOf(event)), () => {
      for (const item of itemsOf(this.#selection, [event])) {
        this.buffer.push(item, itemBytes + event.value.length)
      }
    })
  }

  /** Events are sent one after the other: one that needs no conversion waits for those before it. */
  #inOrder(ready: Promise<void> | undefined, push: () => void): void {
    const act = (): void => {
      try {
        push()
      } catch (error) {
        // An object cannot be decoded: its watchers get an error instead of a silent end.
        this.buffer.fail(error)
      }
    }
    if (!ready && !this.#before) {
      act()
      return
    }
    const mine = Promise.all([this.#before, ready]).then(act, (error: unknown) => this.buffer.fail(error))
    this.#before = mine
    void mine.then(() => {
      if (this.#before === mine) this.#before = undefined
    })
  }

  #stop(): void {
    this.#unsubscribe()
    this.#cancelBookmark()
    for (const each of this.#ends) each.removeEventListener('abort', this.#onAbort)
  }
}

function doNothing(): void {}

function itemsOf(selection: Selection, events: readonly CacheEvent[]): WatchItem[] {
  const items: WatchItem[] = []
  for (const event of events) {
    if (!event.key.startsWith(selection.scope)) continue
    const type = transitionOf(selection, event)
    if (type) items.push({ kind: 'event', type, event })
  }
  return items
}

/** Finding the first revision has a short deadline of its own; the watch itself may last an hour. */
async function reachBeginning(
  registry: Registry,
  begin: WatchRequest['begin'],
  signal: AbortSignal,
): Promise<void> {
  const freshness = 'stateAt' in begin ? begin.stateAt : begin.after
  // A watch from a future revision stays silent until that revision has passed.
  const wanted: Freshness = 'after' in begin && typeof freshness === 'number' ? 'any' : freshness
  const limit = deadline(registry.world.clock, beginMs, signal)
  await reachFreshness(registry, wanted, limit.signal).finally(limit.dispose)
}
