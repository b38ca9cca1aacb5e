import {
  type Discontinuity,
  decideContinuity,
  type KnownTimeline,
  type ShownTimeline,
} from './decide-continuity.ts'
import { OutcomeUnknown, RevisionCompacted, StoreReplaced } from './errors.ts'
import { parseIncarnation } from './incarnation.ts'
import type {
  ChangeBatch,
  Commit,
  CommitOutcome,
  Entry,
  Key,
  Page,
  Range,
  Reading,
  Revision,
  Store,
} from './store.ts'

export interface Replacement extends Discontinuity {
  /** The newest revision of the old timeline, as far as this process has seen it. */
  readonly highest: Revision
}

export interface TimelineOptions {
  /** The key of the store's incarnation: random bytes that a server renews when it notices a replacement. */
  readonly incarnationKey: Key
  /** A key that usually only this process writes, and writes repeatedly. */
  readonly ownKey: Key
  /** Monotonic. A watch that delivers long after the last check of the incarnation checks it first. */
  readonly nowMs?: () => number
  /** Called once for each replacement, before any caller gets an error. */
  readonly onReplaced: (replacement: Replacement) => void
  /** Called when another server has seen more of an old timeline: clients may have revisions before this one from there. */
  readonly onForgotten?: (before: Revision) => void
}

/** No store can be restored and written past the revisions that a server has seen in less time. */
const confirmsAfterMs = 1_000

interface Begun extends KnownTimeline {
  readonly generation: number
}

/**
 * One process's view of a store, which notices when the store is restored from a backup or replaced (docs/design/agreement.md,
 * rule 19). Linearizable answers never go back; one that does belongs to another timeline. From then on every answer to an
 * earlier request is refused: a read throws `StoreReplaced`, a pending commit `OutcomeUnknown`, and watches end.
 *
 * An answer is compared with what was known when its request was sent: answers overtake each other.
 */
export class TimelineStore implements Store {
  readonly #below: Store
  readonly #options: TimelineOptions
  #generation = 0
  #known: KnownTimeline = { highest: 0, incarnation: undefined, ownRevision: 0 }
  /** Older revisions may belong to another timeline, and count as compacted. Undefined after a replacement, until it is known. */
  #historyFrom: Revision | undefined = 0
  #watching = new AbortController()
  /** The revision of the incarnation from which the lost revisions of earlier timelines were last read. */
  #incarnationAt: Revision = 0
  /** The newest lost revision that the watch has shown with the incarnation, until the store has passed it. */
  #announcedLost: Revision = 0
  /** When the incarnation was last confirmed. */
  #confirmedMs = Number.NEGATIVE_INFINITY

  constructor(below: Store, options: TimelineOptions) {
    this.#below = below
    this.#options = options
  }

  get highest(): Revision {
    return this.#known.highest
  }

  /** Takes `incarnation` as the store's from now on. */
  adopt(incarnation: string): void {
    this.#known = { ...this.#known, incarnation }
  }

  /** Another part has found out that the store was replaced. */
  noteReplaced(why: string): void {
    this.#replace({ sign: 'store', why })
  }

  /** Closes the past before `revision`: it may belong to another timeline than what was read before. */
  forgetBefore(revision: Revision): void {
    this.#historyFrom = Math.max(this.#historyFrom ?? 0, revision)
  }

  /** A read of the own key also reads the incarnation: so a server without clients notices, too, when it renews its own key. */
  async read(keys: readonly Key[], signal: AbortSignal): Promise<Reading> {
    const { ownKey, incarnationKey } = this.#options
    const asked = keys.includes(ownKey) && !keys.includes(incarnationKey) ? [...keys, incarnationKey] : keys
    const begun = this.#begin()
    const reading = await this.#ask(begun, () => this.#below.read(asked, signal))
    this.#check(begun, { revision: reading.revision, ...this.#shownBy(asked, reading.entries) })
    if (asked.includes(incarnationKey))
      this.#confirmedMs = this.#options.nowMs?.() ?? Number.POSITIVE_INFINITY
    this.#learnLost(asked, reading)
    return asked === keys ? reading : { ...reading, entries: reading.entries.slice(0, keys.length) }
  }

  async list(range: Range, signal: AbortSignal): Promise<Page> {
    const { revision } = range
    if (revision !== undefined) this.#checkHistory(revision)
    const begun = this.#begin()
    const page = await this.#ask(begun, () => this.#below.list(range, signal))
    this.#check(begun, { revision: revision === undefined ? page.revision : begun.highest })
    return page
  }

  /** Also reads the incarnation: no read passes the barrier in an old timeline. */
  async currentRevision(signal: AbortSignal): Promise<Revision> {
    const { revision } = await this.read([this.#options.incarnationKey], signal)
    return revision
  }

  async commit(commit: Commit, signal: AbortSignal): Promise<CommitOutcome> {
    const begun = this.#begin()
    const outcome = await this.#ask(begun, () => this.#below.commit(commit, signal))
    if (this.#generation !== begun.generation) {
      throw new OutcomeUnknown('the store was replaced while the commit was under way')
    }
    const broken = decideContinuity(begun, { revision: outcome.revision })
    if (broken) this.#replace(broken)
    if (broken && outcome.outcome === 'refused') throw replaced(broken.why)
    // If this commit itself revealed the replacement, it happened in the new timeline: it is reported as committed.
    if (outcome.outcome === 'committed') this.#noteOwn(commit, outcome.revisions)
    this.#note(outcome.revision)
    return outcome
  }

  async *watch(prefix: Key, after: Revision, signal: AbortSignal): AsyncIterable<ChangeBatch> {
    this.#checkHistory(after)
    const begun = this.#begin()
    const replaced = this.#watching.signal
    // Otherwise:
    //
    // 1. This server is cut off while the store is restored, and other servers write past the revisions it has seen.
    // 2. Its watch continues from its old revision.
    // 3. Clients see the end of one timeline after the beginning of another.
    if (begun.incarnation !== undefined) await this.currentRevision(signal)
    const ended = new AbortController()
    const end = (): void => ended.abort()
    const parents = [signal, replaced]
    for (const parent of parents) parent.addEventListener('abort', end, { once: true })
    if (parents.some(({ aborted }) => aborted)) end()
    try {
      const batches = this.#below.watch(prefix, after, ended.signal)[Symbol.asyncIterator]()
      for (let isFirst = true; ; isFirst = false) {
        const next = await this.#ask(begun, () => batches.next())
        // The store below compares a resumed watch with its last change, as far as that is possible. Otherwise:
        //
        // 1. This server begins a watch at 245 and is cut off.
        // 2. The store is restored to 232, and other servers write past 245.
        // 3. The watch resumes, and clients see new changes on top of lost ones.
        const isUnsure = isFirst || this.#isUnconfirmed()
        if (begun.incarnation !== undefined && isUnsure && !next.done)
          await this.currentRevision(ended.signal)
        if (this.#generation !== begun.generation) throw replaced.reason
        if (next.done) return
        this.#note(next.value.revision)
        this.#learnAnnounced(next.value)
        yield next.value
      }
    } finally {
      end()
      for (const parent of parents) parent.removeEventListener('abort', end)
    }
  }

  compact(revision: Revision, signal: AbortSignal): Promise<void> {
    return this.#below.compact(revision, signal)
  }

  close(): Promise<void> {
    return this.#below.close()
  }

  #begin(): Begun {
    return { ...this.#known, generation: this.#generation }
  }

  /** The store below may notice by itself: etcd has an id for each cluster. */
  async #ask<T>({ generation }: Begun, act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      if (error instanceof StoreReplaced && this.#generation === generation) {
        this.#replace({ sign: 'store', why: error.message })
      }
      throw error
    }
  }

  #check(begun: Begun, shown: ShownTimeline): void {
    if (this.#generation !== begun.generation) throw replaced('it was replaced while it was read')
    const broken = decideContinuity(begun, shown)
    if (broken) {
      this.#replace(broken)
      throw replaced(broken.why)
    }
    this.#note(shown.revision)
  }

  #isUnconfirmed(): boolean {
    return (this.#options.nowMs?.() ?? 0) - this.#confirmedMs > confirmsAfterMs
  }

  #checkHistory(revision: Revision): void {
    if (this.#historyFrom === undefined)
      throw replaced(`the timeline of revision ${revision} is not known yet`)
    if (revision < this.#historyFrom) throw new RevisionCompacted(revision, this.#historyFrom)
  }

  #shownBy(keys: readonly Key[], entries: readonly (Entry | undefined)[]): Omit<ShownTimeline, 'revision'> {
    const at = keys.indexOf(this.#options.incarnationKey)
    const own = entries[keys.indexOf(this.#options.ownKey)]
    const entry = entries[at]
    const value = entry && parseIncarnation(Buffer.from(entry.value).toString()).id
    return {
      ...(at < 0 ? {} : { incarnation: { value } }),
      ownRevision: own?.revision,
    }
  }

  /** Another server has seen more of an old timeline than this one. */
  #learnLost(keys: readonly Key[], { revision, entries }: Reading): void {
    const entry = entries[keys.indexOf(this.#options.incarnationKey)]
    // After a replacement this is read when the new incarnation is adopted: the current one may come from the backup.
    if (!entry || entry.revision === this.#incarnationAt || this.#historyFrom === undefined) return
    this.#incarnationAt = entry.revision
    const { lost } = parseIncarnation(Buffer.from(entry.value).toString())
    // If that many revisions could not be passed, all existing changes would seem to belong to the past.
    if (lost < revision) this.#forgetLost(lost)
    else this.#incarnationAt = 0
  }

  /**
   * Before the first change after the lost revisions is delivered. Otherwise:
   *
   * 1. The store is restored to 231; clients have seen 265, and server B has seen 301.
   * 2. Server A, which was frozen at 230, notices first, renews the incarnation, and names 233 as lost.
   * 3. A client resumes its watch at 265 through A, which does not know that 265 is lost.
   * 4. B names 301 and passes the revisions up to there. The client goes on with 302, and misses what came before it.
   */
  #learnAnnounced({ changes, revision }: ChangeBatch): void {
    for (const change of changes) {
      if (change.kind !== 'put' || change.key !== this.#options.incarnationKey) continue
      const { id, lost } = parseIncarnation(Buffer.from(change.value).toString())
      if (id === this.#known.incarnation) this.#announcedLost = lost
    }
    if (this.#announcedLost > 0 && this.#announcedLost < revision) {
      this.#forgetLost(this.#announcedLost)
      this.#announcedLost = 0
    }
  }

  #forgetLost(lost: Revision): void {
    const before = lost === 0 ? 0 : lost + 1
    if (this.#historyFrom === undefined || before <= this.#historyFrom) return
    this.forgetBefore(before)
    this.#options.onForgotten?.(before)
  }

  #noteOwn({ writes }: Commit, revisions: readonly Revision[]): void {
    const at = writes.findIndex(({ key }) => key === this.#options.ownKey)
    if (at < 0) return
    const ownRevision = writes[at]?.kind === 'put' ? (revisions[at] ?? 0) : 0
    this.#known = { ...this.#known, ownRevision }
  }

  #note(revision: Revision): void {
    if (revision > this.#known.highest) this.#known = { ...this.#known, highest: revision }
  }

  #replace({ sign, why }: Discontinuity): void {
    const { highest } = this.#known
    this.#generation++
    this.#historyFrom = undefined
    this.#incarnationAt = 0
    this.#announcedLost = 0
    this.#known = { highest: 0, incarnation: undefined, ownRevision: 0 }
    this.#options.onReplaced({ sign, why, highest })
    const ended = this.#watching
    this.#watching = new AbortController()
    ended.abort(replaced(why))
  }
}

function replaced(why: string): StoreReplaced {
  return new StoreReplaced(`the store was restored from a backup, or replaced: ${why}`)
}
