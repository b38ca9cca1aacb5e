import { compareKeys, type Entry, type Key, prefixEnd, type Revision, sortsNatively } from '../store/index.ts'
import type { CacheEvent } from './cache-event.ts'
import { Subscribers, type Watcher } from './subscribers.ts'

/**
 * The history kept for watches from the past, per resource, in events and in bytes. The served forms of an event come on top:
 * about its value again for each form that a client watches.
 */
const historyLimit = 10_000
const historyBytes = 32 * 1024 * 1024
/** This many events of a resource are kept regardless of age, as in kube-apiserver. */
const leastHistory = 100
/** The memory of an event besides key and value, as measured on Node 26: objects, an empty map, an array's buffer. */
const eventBytes = 480
/** How many events are searched to save a read from the store. */
const historyScan = 1_000

/** All objects of one resource in key order, and its recent history. One watch feeds it; everything is synchronous. */
export class Collection {
  readonly prefix: Key
  readonly #entries = new Map<Key, Entry>()
  #sorted: Key[] = []
  /** The key order is the store's, by bytes, so that pages of the cache and of the store fit together. */
  #isBefore: IsBefore = isNativelyBefore
  #history: CacheEvent[] = []
  /** Everything after this revision is in the history. */
  #historyFrom: Revision = 0
  /** Older revisions of clients may belong to a timeline of the store that is over (docs/design/agreement.md, rule 19). */
  #timelineFrom: Revision = 0
  #historySize = 0
  /** The events of exactly that revision, if there are several: a client that resumes there may have seen only some of them. */
  #boundary: readonly CacheEvent[] = []
  /** The revision of the newest change, or of the initial read. */
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

  /** Events after `revision`, or undefined if some of them are no longer kept. */
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
   * The events for a watch that resumes at `revision`, undefined if they are no longer kept, or if the revision may belong to an
   * old timeline: everything after it, and that revision as a whole if several changes below `scope` share it. A repeat does no
   * harm. Otherwise:
   *
   * 1. A hundred objects are written in one transaction.
   * 2. A watcher gets forty events, and its connection breaks.
   * 3. It resumes at the revision of the fortieth, and never gets the other sixty.
   */
  resume(revision: Revision, scope: Key = this.prefix): readonly CacheEvent[] | undefined {
    const after = this.since(revision)
    if (!after || revision < this.#timelineFrom) return undefined
    const at =
      revision === this.#historyFrom
        ? this.#boundary
        : (this.since(revision - 1)?.filter((each) => each.revision === revision) ?? [])
    return sharedIn(scope, at) ? [...at, ...after] : after
  }

  get oldestRevision(): Revision {
    return Math.max(this.#historyFrom, this.#timelineFrom)
  }

  /**
   * True if the objects below `prefix` after the key `after` are certainly the same now as at `revision`, which must not be in
   * the future. A page of an older list may then be read from the cache.
   */
  isUnchangedSince(revision: Revision, prefix: Key, after: Key): boolean {
    if (revision < this.#timelineFrom) return false
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

  /** From now on, no client resumes at a revision before this one. Open watches that began before it end. */
  beginTimeline(revision: Revision): void {
    this.#timelineFrom = revision
    this.#subscribers.forget(revision)
  }

  /** A change at or below the revision of its key is a repeat (the store may send one) and is ignored. */
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

  /** Replaces everything by a fresh read at `revision`; the changes in between are unknown. */
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

  /** The first key that needs it switches to the careful comparison: earlier keys are in order either way. */
  #look(key: Key): void {
    if (this.#isBefore === isNativelyBefore && !sortsNatively(key)) this.#isBefore = isBeforeByBytes
  }

  /** Drops events up to `revision`, except for the newest ones: a quiet resource can be resumed after any time. */
  forgetUpTo(revision: Revision): void {
    this.#forget((left, { revision: oldest }) => left > leastHistory && oldest <= revision)
  }

  /** Drops a revision as a whole or not at all: half of one would be a gap. */
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
    // In batches, so that dropping the oldest is cheap per event.
    if (this.#history.length > historyLimit * 1.25 || this.#historySize > historyBytes * 1.25)
      this.#forget((left) => left > historyLimit || this.#historySize > historyBytes)
    this.#changedAt = event.revision
    this.#subscribers.publish(event)
  }
}

const sizeOf = ({ key, value }: CacheEvent): number => eventBytes + key.length + value.length

/** Whether several of these events, all of one revision, are below the scope. */
export function sharedIn(scope: Key, events: readonly CacheEvent[]): boolean {
  return severalOf(events.filter(({ key }) => key.startsWith(scope))).length > 0
}

const severalOf = (events: readonly CacheEvent[]): readonly CacheEvent[] => (events.length > 1 ? events : [])

/** An event for the change that wrote an entry; only its result is known. */
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

/** Correct if one of the two keys sorts natively, as nearly every key does, and by far the fastest. */
const isNativelyBefore: IsBefore = (a, b) => a < b

const isBeforeByBytes: IsBefore = (a, b) => compareKeys(a, b) < 0

/**
 * The first key that is no longer below a prefix. After the slash any character may follow, even the highest code point: names of
 * roles are not restricted, and a role that lists omit would still be in force.
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
