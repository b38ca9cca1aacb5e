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
  /** Everything after a revision; or, as if they had just been added, the objects there are, then everything after. */
  readonly begin: { readonly after: Exclude<Freshness, bigint> } | { readonly stateAt: Freshness }
  readonly bookmarks: boolean
  /** When the signal will be aborted; the last bookmark comes shortly before. */
  readonly timeoutMs: number
}

export interface WatchStream {
  /** The state in the beginning, if it was asked for. */
  readonly initial: readonly Entry[] | undefined
  /** What has happened since a revision in the past, if that was asked for. */
  readonly past: readonly WatchItem[]
  /** Of the beginning: whoever has seen these two has seen everything up to it. */
  readonly revision: Revision
  /** What happens since. Ends when the watch has to end; its client begins a new one. */
  readonly live: WatchBuffer<WatchItem>
}

const beginMs = 60_000
const bookmarkMs = 60_000
/** As upstream: so that a client whose watch ends resumes from almost there. */
const lastBookmarkMs = 2_000
/** What an item holds besides its value. */
const itemBytes = 200

/** Changes of a resource, in order, without gaps. */
export async function watch(
  registry: Registry,
  resource: ServedResource,
  request: WatchRequest,
  signal: AbortSignal,
): Promise<WatchStream> {
  await reachBeginning(registry, request.begin, signal)
  const collection = collectionOf(registry, resource)
  if (resource.codec.needsWebhook) await readyWatch(collection, request)
  // From here to the subscription nothing may wait: a change in between would be lost.
  const begun = (): WatchStream => beginWatch(registry, resource, request, signal)
  return resource.codec.needsWebhook ? whenConverted(begun) : begun()
}

/** Before it, a watch may have to ask about the objects it begins with one by one. */
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
  const revision = Math.max(after, barrier.applied)
  // What comes here is compared, and told, when all of that revision has come: it is in one batch, and nothing waits in it.
  let shared: CacheEvent[] | undefined = after > barrier.applied ? [] : undefined
  const tell = (event: CacheEvent): void =>
    inOrder(selection.ready(valuesOf(event)), () => {
      for (const item of itemsOf(selection, [event])) live.push(item, itemBytes + event.value.length)
    })
  const tellShared = (): void => {
    const held = shared ?? []
    shared = undefined
    if (sharedIn(selection.scope, held)) for (const event of held) tell(event)
  }
  const live = new WatchBuffer<WatchItem>(() => stop())
  const unsubscribe = collection.subscribe(
    {
      onEvent: (event) => {
        // A client that came from a server further ahead has seen these already; of the newest it may have seen a part.
        if (event.revision < revision) return
        if (event.revision === revision) {
          if (shared?.push(event) === 1) queueMicrotask(tellShared)
          return
        }
        tellShared()
        tell(event)
      },
      onReset: (isReplaced) =>
        isReplaced
          ? live.fail(expired('the store was restored from a backup, or replaced; list again'))
          : live.end(),
    },
    selection.scope,
  )

  /** One after the other: what does not have to wait itself may have to wait for what came before it. */
  let before: Promise<void> | undefined
  function inOrder(ready: Promise<void> | undefined, push: () => void): void {
    const act = (): void => {
      try {
        push()
      } catch (error) {
        // An object that cannot be read: its watchers are told, rather than cut off without a word.
        live.fail(error)
      }
    }
    if (!ready && !before) {
      act()
      return
    }
    const mine = Promise.all([before, ready]).then(act, (error: unknown) => live.fail(error))
    before = mine
    void mine.then(() => {
      if (before === mine) before = undefined
    })
  }
  const cancelBookmarks = request.bookmarks ? keepMarking() : () => {}
  const onAbort = (): void => live.end()
  const ends = resource.replaced ? [signal, resource.replaced] : [signal]
  for (const each of ends) each.addEventListener('abort', onAbort, { once: true })

  function stop(): void {
    unsubscribe()
    cancelBookmarks()
    for (const each of ends) each.removeEventListener('abort', onAbort)
  }

  /** Everything up to what the cache has applied is in the buffer already, so the order is right. */
  function keepMarking(): () => void {
    const { clock, random } = registry.world
    const lastMs = clock.monotonicMs() + request.timeoutMs - lastBookmarkMs
    let cancel = (): void => {}
    const next = (): void => {
      const remaining = lastMs - clock.monotonicMs()
      if (remaining <= 0) return
      cancel = clock.after(Math.min(remaining, jitter(random, bookmarkMs, 0.1)), () => {
        const applied = Math.max(revision, barrier.applied)
        // Nothing is applied while the cache is filled anew after the store was replaced: then the watch is about to end.
        if (barrier.applied > 0) {
          inOrder(undefined, () => live.push({ kind: 'bookmark', revision: applied }, itemBytes))
        }
        next()
      })
    }
    next()
    return () => cancel()
  }

  if (ends.some(({ aborted }) => aborted)) live.end()
  return { initial, past, revision, live }
}

function itemsOf(selection: Selection, events: readonly CacheEvent[]): WatchItem[] {
  const items: WatchItem[] = []
  for (const event of events) {
    if (!event.key.startsWith(selection.scope)) continue
    const type = transitionOf(selection, event)
    if (type) items.push({ kind: 'event', type, event })
  }
  return items
}

/** The watch may last an hour; finding out where it begins may not. */
async function reachBeginning(
  registry: Registry,
  begin: WatchRequest['begin'],
  signal: AbortSignal,
): Promise<void> {
  const freshness = 'stateAt' in begin ? begin.stateAt : begin.after
  // A watch from a revision that is yet to come stays silent until it has passed.
  const wanted: Freshness = 'after' in begin && typeof freshness === 'number' ? 'any' : freshness
  const limit = deadline(registry.world.clock, beginMs, signal)
  await reachFreshness(registry, wanted, limit.signal).finally(limit.dispose)
}
