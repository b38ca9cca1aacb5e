import type { Key, Revision } from '../store/index.ts'
import type { CacheEvent } from './cache-event.ts'

export interface Watcher {
  /** Called once per change, in order. Must not throw and must not block. */
  onEvent(event: CacheEvent): void
  /**
   * History was lost (a reload after compaction): the watch must end and its client list again. If the store was replaced, the
   * client must not even resume: the revisions that it has seen mean something else (docs/design/agreement.md, rule 19).
   */
  onReset(isReplaced: boolean): void
  /** Revisions before this one may belong to an old timeline: a watch that a client began there must end. */
  onForgotten?(before: Revision): void
}

/**
 * The watchers by scope. A watcher follows everything below a prefix that ends in `/` (a resource, or one namespace of it) or a
 * single key. So an event finds its watchers in three look-ups, however many watches of other namespaces and names are open.
 */
export class Subscribers {
  readonly #root: Key
  readonly #byScope = new Map<Key, Set<Watcher>>()

  constructor(root: Key) {
    this.#root = root
  }

  add(scope: Key, watcher: Watcher): () => void {
    const watchers = this.#byScope.get(scope) ?? new Set()
    this.#byScope.set(scope, watchers)
    watchers.add(watcher)
    return () => {
      if (watchers.delete(watcher) && watchers.size === 0 && this.#byScope.get(scope) === watchers) {
        this.#byScope.delete(scope)
      }
    }
  }

  publish(event: CacheEvent): void {
    if (this.#byScope.size === 0) return
    const { key } = event
    this.#notify(this.#root, event)
    const namespace = key.slice(0, key.lastIndexOf('/') + 1)
    if (namespace !== this.#root) this.#notify(namespace, event)
    this.#notify(key, event)
  }

  /** Removes all watchers, then notifies them: one that subscribes again meanwhile is not notified twice. */
  reset(isReplaced: boolean): void {
    const all = [...this.#byScope.values()]
    this.#byScope.clear()
    for (const watchers of all) for (const watcher of watchers) watcher.onReset(isReplaced)
  }

  forget(before: Revision): void {
    const all = [...this.#byScope.values()].flatMap((watchers) => [...watchers])
    for (const watcher of all) watcher.onForgotten?.(before)
  }

  #notify(scope: Key, event: CacheEvent): void {
    const watchers = this.#byScope.get(scope)
    if (watchers) for (const watcher of watchers) watcher.onEvent(event)
  }
}
