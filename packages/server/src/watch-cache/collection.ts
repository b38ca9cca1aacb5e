import { compareKeys, type Entry, type Key, prefixEnd, type Revision, sortsNatively } from '../store/index.ts'
import type { CacheEvent } from './cache-event.ts'
import { Subscribers, type Watcher } from './subscribers.ts'

/**
 * What is kept for watches from the past, per resource: as many events, and as many bytes of them. The forms in which
 * an event was served come on top: about its value again for each form that a client watches.
 */
const historyLimit = 10_000
const historyBytes = 32 * 1024 * 1024
/** So many events of a resource are kept however old they are, as kube-apiserver does. */
const leastHistory = 100
/** What an event takes besides its key and its value, as measured on Node 26: objects, an empty map, an array's buffer. */
const eventBytes = 480
/** How many events are looked through to spare the store a reading. */
const historyScan = 1_000

/**
 * All objects of one resource, in the order of their keys, and its recent history. Fed by one watch; read by
 * everyone. Nothing in here waits.
 */
export class Collection {
  readonly prefix: Key
  readonly #entries = new Map<Key, Entry>()
  #sorted: Key[] = []
  /** The order of the keys is the store's: by bytes, so that a page from here and one from there fit together. */
  #isBefore: IsBefore = isNativelyBefore
  #history: CacheEvent[] = []
  /** Everything after this revision is in the history. */
  #historyFrom: Revision = 0
  #historySize = 0
  /** The events of just that revision, if there are several: whoever resumes there may have seen only some of them. */
  #boundary: readonly CacheEvent[] = []
  /** Of the newest change, or of the reading that everything came from. */
  #changedAt: Revision = 0
  readonly #subscribers: Subscribers

  constructor(prefix: Key) {
    this.prefix = prefix
    this.#subscribers = new Subscribers(prefix)
  }

  get(key: Key): Entry | undefined {
    return this.#entries.get(key)
  }

  /** Entries below `prefix`, after the key `after`, in order. */
  range(prefix: Key, after?: Key): { readonly count: number; at(index: number): Entry } {
    const sorted = this.#sorted
    const isBefore = this.#isBefore
    const start =
      after === undefined ? lowerBound(sorted, prefix, isBefore) : upperBound(sorted, after, isBefore)
    const end = lowerBound(sorted, endOf(prefix), isBefore)
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

  /**
   * What a watcher is told that resumes at `revision`, undefined if that is forgotten: everything after it, and that revision
   * itself, whole, where several changes below `scope` share it. Otherwise: a hundred objects are written in one transaction;
   * a watcher is told of forty, its connection breaks, it resumes at the revision of the fortieth, and never hears of the
   * other sixty. A repeat does no harm.
   */
  resume(revision: Revision, scope: Key = this.prefix): readonly CacheEvent[] | undefined {
    const after = this.since(revision)
    if (!after) return undefined
    const at =
      revision === this.#historyFrom
        ? this.#boundary
        : (this.since(revision - 1)?.filter((each) => each.revision === revision) ?? [])
    return sharedIn(scope, at) ? [...at, ...after] : after
  }

  get oldestRevision(): Revision {
    return this.#historyFrom
  }

  /**
   * True if the objects below `prefix` after the key `after` are certainly the same now as they were at `revision`,
   * which must not be in the future. A page of an older list may then be read here instead of in the store.
   */
  isUnchangedSince(revision: Revision, prefix: Key, after: Key): boolean {
    if (this.#changedAt <= revision) return true
    const events = this.since(revision)
    if (!events || events.length > historyScan) return false
    const isBefore = this.#isBefore
    return !events.some(({ key }) => key.startsWith(prefix) && isBefore(after, key))
  }

  /** Follows `scope`: the whole resource unless a longer prefix, ending in `/`, or one key is given. */
  subscribe(watcher: Watcher, scope: Key = this.prefix): () => void {
    return this.#subscribers.add(scope, watcher)
  }

  /** A change at or below what is here already is a repeat (the store may send one) and is ignored. */
  put(entry: Entry): void {
    const before = this.#entries.get(entry.key)
    if (before && before.revision >= entry.revision) return
    this.#entries.set(entry.key, entry)
    if (!before) {
      this.#look(entry.key)
      this.#sorted.splice(lowerBound(this.#sorted, entry.key, this.#isBefore), 0, entry.key)
    }
    this.#publish({
      kind: before ? 'modified' : 'added',
      key: entry.key,
      revision: entry.revision,
      value: entry.value,
      previous: before?.value,
      previousRevision: before?.revision ?? 0,
      forms: new Map(),
    })
  }

  delete(key: Key, revision: Revision): void {
    const before = this.#entries.get(key)
    if (!before || before.revision >= revision) return
    this.#entries.delete(key)
    this.#sorted.splice(lowerBound(this.#sorted, key, this.#isBefore), 1)
    const { value, revision: previousRevision } = before
    const previous = value
    this.#publish({ kind: 'deleted', key, revision, value, previous, previousRevision, forms: new Map() })
  }

  /** Replaces everything by a fresh reading at `revision`; what happened in between is not known. */
  reset(entries: readonly Entry[], revision: Revision, isReplaced = false): void {
    this.#entries.clear()
    this.#isBefore = isNativelyBefore
    for (const entry of entries) {
      this.#entries.set(entry.key, entry)
      this.#look(entry.key)
    }
    const isBefore = this.#isBefore
    this.#sorted = entries.map(({ key }) => key).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    this.#history = []
    this.#historySize = 0
    this.#historyFrom = revision
    this.#boundary = severalOf(entries.filter((each) => each.revision === revision).map(lastChange))
    this.#changedAt = revision
    this.#subscribers.reset(isReplaced)
  }

  /** The first key that needs it makes all be compared with care from now on: those before it are in order either way. */
  #look(key: Key): void {
    if (this.#isBefore === isNativelyBefore && !sortsNatively(key)) this.#isBefore = isBeforeByBytes
  }

  /** Forgets events up to `revision`, but for the newest ones: a quiet resource is resumed after any time. */
  forgetUpTo(revision: Revision): void {
    this.#forget((left, { revision: oldest }) => left > leastHistory && oldest <= revision)
  }

  /** A revision is forgotten whole or not at all: half of one would be a gap. */
  #forget(isTooMuch: (left: number, oldest: CacheEvent) => boolean): void {
    let count = 0
    for (;;) {
      const oldest = this.#history[count]
      if (!oldest || !isTooMuch(this.#history.length - count, oldest)) break
      this.#historySize -= sizeOf(oldest)
      this.#historyFrom = oldest.revision
      count++
    }
    if (count === 0) return
    for (let next = this.#history[count]; next?.revision === this.#historyFrom; next = this.#history[count]) {
      this.#historySize -= sizeOf(next)
      count++
    }
    const forgotten = this.#history.splice(0, count)
    this.#boundary = severalOf(forgotten.filter(({ revision }) => revision === this.#historyFrom))
  }

  #publish(event: CacheEvent): void {
    this.#history.push(event)
    this.#historySize += sizeOf(event)
    // In batches, so that dropping the oldest costs little per event.
    if (this.#history.length > historyLimit * 1.25 || this.#historySize > historyBytes * 1.25)
      this.#forget((left) => left > historyLimit || this.#historySize > historyBytes)
    this.#changedAt = event.revision
    this.#subscribers.publish(event)
  }
}

const sizeOf = ({ key, value }: CacheEvent): number => eventBytes + key.length + value.length

/** Whether several of these, all of one revision, are below the scope. */
export function sharedIn(scope: Key, events: readonly CacheEvent[]): boolean {
  return severalOf(events.filter(({ key }) => key.startsWith(scope))).length > 0
}

const severalOf = (events: readonly CacheEvent[]): readonly CacheEvent[] => (events.length > 1 ? events : [])

/** The change that an entry comes from, of which no more is known than what it left behind. */
function lastChange({ key, value, revision, createRevision }: Entry): CacheEvent {
  const isNew = createRevision === revision
  return {
    kind: isNew ? 'added' : 'modified',
    ...{ key, revision, value, forms: new Map() },
    previous: isNew ? undefined : value,
    previousRevision: isNew ? 0 : revision,
  }
}

type IsBefore = (a: Key, b: Key) => boolean

/** Right where one of the two sorts natively, as nearly every key does, and much the fastest. */
const isNativelyBefore: IsBefore = (a, b) => a < b

const isBeforeByBytes: IsBefore = (a, b) => compareKeys(a, b) < 0

/**
 * The first key that is no longer below a prefix. After the slash any character may follow, the last of all too: names
 * of roles are as free as that, and one that lists leave out would still be in force.
 */
function endOf(prefix: Key): Key {
  return prefix.endsWith('/') ? `${prefix.slice(0, -1)}0` : (prefixEnd(prefix) ?? prefix)
}

function lowerBound(sorted: readonly Key[], key: Key, isBefore: IsBefore): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(sorted[middle] ?? '', key)) low = middle + 1
    else high = middle
  }
  return low
}

function upperBound(sorted: readonly Key[], key: Key, isBefore: IsBefore): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (!isBefore(key, sorted[middle] ?? '')) low = middle + 1
    else high = middle
  }
  return low
}
