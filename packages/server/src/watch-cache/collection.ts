import type { Entry, Key, Revision } from '../store/index.ts'

/** One change of one object, as watchers see it. Kept as bytes; each served form is made once and kept. */
export interface CacheEvent {
  readonly kind: 'added' | 'modified' | 'deleted'
  readonly key: Key
  /** Of this change; a deletion has one of its own, greater than that of the last value. */
  readonly revision: Revision
  /** The value after the change; for a deletion, the last one before it. */
  readonly value: Uint8Array
  /** The value before the change, if there was one. */
  readonly previous: Uint8Array | undefined
  /** One serialisation per form for all watchers of that form. Filled by whoever serves the event first. */
  readonly forms: Map<string, Uint8Array>
}

export interface Watcher {
  /** Called once per change, in order. Must not throw and must not block. */
  onEvent(event: CacheEvent): void
  /** History was lost (a reload after compaction): the watch must end and its client list again. */
  onReset(): void
}

/** What is kept for watches from the past, per resource: as many events, and as many bytes. */
const historyLimit = 10_000
const historyBytes = 32 * 1024 * 1024

/**
 * All objects of one resource, in the order of their keys, and its recent history. Fed by one watch; read by
 * everyone. Nothing in here waits.
 */
export class Collection {
  readonly prefix: Key
  readonly #entries = new Map<Key, Entry>()
  #sorted: Key[] = []
  #history: CacheEvent[] = []
  /** Everything after this revision is in the history. */
  #historyFrom: Revision = 0
  #historySize = 0
  readonly #watchers = new Set<Watcher>()

  constructor(prefix: Key) {
    this.prefix = prefix
  }

  get(key: Key): Entry | undefined {
    return this.#entries.get(key)
  }

  /** Entries below `prefix`, after the key `after`, in order. */
  range(prefix: Key, after?: Key): { readonly count: number; at(index: number): Entry } {
    const start = after === undefined ? lowerBound(this.#sorted, prefix) : upperBound(this.#sorted, after)
    const end = lowerBound(this.#sorted, `${prefix}￿`)
    const sorted = this.#sorted
    const entries = this.#entries
    return {
      count: Math.max(0, end - start),
      at: (index) => {
        const entry = entries.get(sorted[start + index] ?? '')
        if (!entry) throw new RangeError(`no entry at ${index}`)
        return entry
      },
    }
  }

  /** Events after `revision`, or undefined if some of them are forgotten. */
  since(revision: Revision): readonly CacheEvent[] | undefined {
    if (revision < this.#historyFrom) return undefined
    let low = 0
    let high = this.#history.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#history[middle]?.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return this.#history.slice(low)
  }

  get oldestRevision(): Revision {
    return this.#historyFrom
  }

  subscribe(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** A change at or below what is here already is a repeat (the store may send one) and is ignored. */
  put(entry: Entry): void {
    const before = this.#entries.get(entry.key)
    if (before && before.revision >= entry.revision) return
    this.#entries.set(entry.key, entry)
    if (!before) this.#sorted.splice(lowerBound(this.#sorted, entry.key), 0, entry.key)
    this.#publish({
      kind: before ? 'modified' : 'added',
      key: entry.key,
      revision: entry.revision,
      value: entry.value,
      previous: before?.value,
      forms: new Map(),
    })
  }

  delete(key: Key, revision: Revision): void {
    const before = this.#entries.get(key)
    if (!before || before.revision >= revision) return
    this.#entries.delete(key)
    this.#sorted.splice(lowerBound(this.#sorted, key), 1)
    const { value } = before
    this.#publish({ kind: 'deleted', key, revision, value, previous: value, forms: new Map() })
  }

  /** Replaces everything by a fresh reading at `revision`; what happened in between is not known. */
  reset(entries: readonly Entry[], revision: Revision): void {
    this.#entries.clear()
    for (const entry of entries) this.#entries.set(entry.key, entry)
    this.#sorted = entries.map(({ key }) => key).sort(byKey)
    this.#history = []
    this.#historySize = 0
    this.#historyFrom = revision
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const watcher of watchers) watcher.onReset()
  }

  /** A revision is forgotten whole or not at all: half of one would be a gap. */
  #forget(): void {
    let count = 0
    while (this.#history.length - count > historyLimit || this.#historySize > historyBytes) {
      const oldest = this.#history[count]
      if (!oldest) break
      this.#historySize -= oldest.value.length
      this.#historyFrom = oldest.revision
      count++
    }
    while (this.#history[count]?.revision === this.#historyFrom) {
      this.#historySize -= this.#history[count]?.value.length ?? 0
      count++
    }
    this.#history.splice(0, count)
  }

  #publish(event: CacheEvent): void {
    this.#history.push(event)
    this.#historySize += event.value.length
    // In batches, so that dropping the oldest costs little per event.
    if (this.#history.length > historyLimit * 1.25 || this.#historySize > historyBytes * 1.25) this.#forget()
    for (const watcher of this.#watchers) watcher.onEvent(event)
  }
}

/** Keys of objects are ASCII, so that the order of UTF-16 units is the store's order of bytes. */
function byKey(a: Key, b: Key): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function lowerBound(sorted: readonly Key[], key: Key): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

function upperBound(sorted: readonly Key[], key: Key): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') <= key) low = middle + 1
    else high = middle
  }
  return low
}
