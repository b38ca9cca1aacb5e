import { expired } from '@strata/api'
import { AsyncQueue, deadline } from '@strata/world'
import { namespacePrefix } from '../codec/index.ts'
import type { CacheEvent } from '../watch-cache/index.ts'
import { passBarrier } from './read.ts'
import { collectionOf, type Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'

export type WatchItem =
  | { readonly kind: 'event'; readonly event: CacheEvent }
  | { readonly kind: 'bookmark'; readonly revision: number }

export interface WatchStream {
  /** What happened before the watch began, and is sent first. */
  readonly past: readonly CacheEvent[]
  /** What happens since. Ends when the watch has to end; its client begins a new one. */
  readonly live: AsyncQueue<WatchItem>
}

/** A watcher that is this far behind is cut off; its client lists again. It must not hold memory for ever. */
const backlog = 10_000
const beginMs = 60_000

/**
 * Changes of a resource, in order, without gaps. From a revision: everything after it. Without one: the
 * objects there are, as additions, and then everything after.
 */
export async function watch(
  registry: Registry,
  resource: ServedResource,
  options: { readonly namespace: string; readonly after: number | undefined; readonly bookmarkMs?: number },
  signal: AbortSignal,
): Promise<WatchStream> {
  const { after, bookmarkMs } = options
  // The watch may last an hour; finding out where it begins may not.
  if (after === undefined) {
    const beginning = deadline(registry.world.clock, beginMs, signal)
    await passBarrier(registry, beginning.signal).finally(beginning.dispose)
  }
  const collection = collectionOf(registry, resource)
  const { barrier } = registry.cache
  const prefix = namespacePrefix(resource.definition, options.namespace)
  const live = new AsyncQueue<WatchItem>({ limit: backlog, onReturn: () => end() })

  // From here to the subscription nothing may wait: a change in between would be lost.
  const past = after === undefined ? initialEvents(registry, resource, prefix) : collection.since(after)
  if (!past) throw expired(`too old resource version: ${after} (${collection.oldestRevision})`)
  const seen = Math.max(after ?? 0, past.at(-1)?.revision ?? 0, barrier.applied)
  const unsubscribe = collection.subscribe({
    onEvent: (event) => {
      if (!event.key.startsWith(prefix) || event.revision <= seen) return
      if (!live.push({ kind: 'event', event })) end()
    },
    onReset: () => end(),
  })

  let cancelBookmark = (): void => {}
  const bookmark = (delayMs: number): void => {
    cancelBookmark = registry.world.clock.after(delayMs, () => {
      // Everything up to what the cache has applied is in the queue already, so the order is right.
      // A client that came from a server further ahead must not be sent back to a place before its own.
      live.push({ kind: 'bookmark', revision: Math.max(seen, barrier.applied) })
      bookmark(delayMs)
    })
  }
  if (bookmarkMs !== undefined) bookmark(bookmarkMs)

  function end(): void {
    unsubscribe()
    cancelBookmark()
    signal.removeEventListener('abort', end)
    live.close()
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return { past: past.filter(({ key }) => key.startsWith(prefix)), live }
}

function initialEvents(registry: Registry, resource: ServedResource, prefix: string): CacheEvent[] {
  const range = collectionOf(registry, resource).range(prefix)
  const events: CacheEvent[] = []
  for (let index = 0; index < range.count; index++) {
    const { key, value, revision } = range.at(index)
    events.push({ kind: 'added', key, value, revision, previous: undefined, forms: new Map() })
  }
  return events
}
