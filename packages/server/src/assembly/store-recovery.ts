import { deadline, jitter, sleep, uuid, type World } from '@strata/world'
import { storageRoot } from '../codec/index.ts'
import type { GapCause } from '../coordination/index.ts'
import {
  type Entry,
  type Guard,
  type Incarnation,
  incarnationText,
  type Key,
  mostPassedRevisions,
  OutcomeUnknown,
  parseIncarnation,
  passRevisions,
  type Replacement,
  type Revision,
  readOne,
  type Store,
  StoreReplaced,
  StoreUnavailable,
  TimelineStore,
} from '../store/index.ts'

/** Random bytes that stand for one timeline of the store. Below `ticks/`, as the nonces of records, and for the same reason. */
export const incarnationKey: Key = `${storageRoot}strata.dev/ticks/incarnation`

/** How long one attempt may take; revisions may have to be passed in it. */
const attemptMs = 120_000

export interface RecoveryParts {
  readonly world: World
  readonly store: Store
  /** The identity Lease of this server. */
  readonly ownKey: Key
  /** Where revisions are passed: a key of this server's. */
  readonly tickKey: Key
}

/** The parts of the server that stop when the store is replaced, and begin anew. */
export interface StoreMember {
  /** Stops writes and drops what was read; at once. */
  readonly stop: (error: StoreReplaced) => void
  /** Puts the recording gap into every record. */
  readonly mark: (gap: GapCause, signal: AbortSignal) => Promise<void>
  /** Registers anew, once the store may be read, and marks every record before that. */
  readonly rejoin: (gap: GapCause, signal: AbortSignal) => Promise<void>
}

/**
 * What a server does when its store was restored or replaced under it (agreement.md, rule 19):
 *
 * 1. Writes stop, and nothing that was read before is shown to anyone.
 * 2. The store gets another incarnation, so that all servers notice. This comes before the next step, which would hide from
 *    them that the revision went back.
 * 3. The revisions that were handed out in the timeline that is over are passed, so that none is handed out twice.
 * 4. The cache is filled anew, and watches end with 410.
 * 5. The server registers anew, and every record gets a recording gap.
 * 6. The incarnation says that every record has it. Otherwise: A alone notices, renews the incarnation, and is killed; B
 *    starts, and writes under records that tell nothing of the restore.
 */
export class StoreRecovery {
  /** The store as this server sees it: it notices a replacement, and refuses answers from before. */
  readonly timeline: TimelineStore
  readonly #world: World
  readonly #tickKey: Key
  /** Since the start, with the signal that ends it. */
  #member: (StoreMember & { readonly signal: AbortSignal }) | undefined
  /** Noticed before the start. */
  #early: Replacement | undefined
  #isRunning = false
  /** Resolves when the store may be read again. */
  #readable: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  #isReadable = false
  /** Resolves when every record has the gap of the last restore that was noticed before this server started. */
  readonly #marked = Promise.withResolvers<void>()
  /** Counts replacements, so that one which comes during a recovery is not missed. */
  #count = 0
  #highest: Revision = 0
  #attempt: AbortController | undefined
  /** Incarnations that this server has read, or given the store, since the last replacement. */
  readonly #present = new Set<string>()
  /** Those from before it. A store that has one of them was restored, and no server has renewed its incarnation since. */
  readonly #former = new Set<string>()

  constructor({ world, store, ownKey, tickKey }: RecoveryParts) {
    this.#world = world
    this.#tickKey = tickKey
    this.timeline = new TimelineStore(store, {
      ...{ incarnationKey, ownKey, nowMs: () => world.clock.monotonicMs() },
      onReplaced: (replacement) => this.#begin(replacement),
    })
  }

  /** How often the store was replaced under this server. */
  get count(): number {
    return this.#count
  }

  /** Resolves when the store's incarnation is known, and what was handed out before a replacement has been passed. */
  get readable(): Promise<void> {
    return this.#readable.promise
  }

  /** Resolves when a server that has started may register: no record lacks the gap of a restore that others have noticed. */
  get marked(): Promise<void> {
    return this.#marked.promise
  }

  /** The store was replaced. Runs until this server is a member again, or the server stops. */
  #begin(replacement: Replacement): void {
    const member = this.#member
    if (!member) {
      this.#early = replacement
      return
    }
    const { why, highest } = replacement
    const error = new StoreReplaced(`the store was restored from a backup, or replaced: ${why}`)
    this.#world.log.error(
      'the store was restored from a backup, or replaced; reading it again and registering again',
      {
        why,
        highest,
      },
    )
    this.#count++
    this.#highest = Math.max(this.#highest, highest)
    for (const incarnation of this.#present) this.#former.add(incarnation)
    this.#present.clear()
    // Who waits already goes on waiting for the same promise.
    if (this.#isReadable) this.#readable = Promise.withResolvers<void>()
    this.#isReadable = false
    member.stop(error)
    // What is under way is about the store before, and might wait for it for as long as an attempt may take.
    this.#attempt?.abort(error)
    if (!this.#isRunning) void this.#run(member, member.signal)
  }

  /** At the start: learns the store's incarnation, or gives it one, and ends what a server before has left undone. */
  async start(member: StoreMember, signal: AbortSignal): Promise<void> {
    this.#member = { ...member, signal }
    const early = this.#early
    this.#early = undefined
    if (early) this.#begin(early)
    await this.#attempts(signal, async (limit) => {
      const count = this.#count
      const { id, isMarked } = await this.#settle(limit)
      if (!isMarked) {
        await member.mark(gapOf(this.#world), limit)
        await this.#noteMarked(id, count, limit)
      }
      this.#marked.resolve()
    })
  }

  /**
   * Asks for the store's incarnation every so often. A server with an identity does so with each renewal of its Lease, and
   * needs no other look.
   */
  async look(everyMs: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#world
    while (!signal.aborted) {
      await sleep(clock, jitter(random, everyMs, 0.25), signal).catch(() => {})
      const limit = deadline(clock, everyMs, signal)
      // Whatever it is that fails, others say so; a replacement is noticed below.
      await this.timeline
        .currentRevision(limit.signal)
        .catch(() => {})
        .finally(limit.dispose)
    }
  }

  async #run({ rejoin }: StoreMember, signal: AbortSignal): Promise<void> {
    this.#isRunning = true
    for (let done = -1; done !== this.#count && !signal.aborted; ) {
      const count = this.#count
      await this.#attempts(signal, async (limit) => {
        const { id } = await this.#settle(limit)
        if (count !== this.#count) return
        await rejoin(gapOf(this.#world), limit)
        await this.#noteMarked(id, count, limit)
      })
      done = count
    }
    // In the same turn as the last look at the count. Otherwise a replacement that comes in between starts nothing.
    this.#isRunning = false
  }

  async #attempts(signal: AbortSignal, act: (limit: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, random, log } = this.#world
    for (let attempt = 0; !signal.aborted; attempt++) {
      const over = new AbortController()
      const end = (): void => over.abort(signal.reason)
      signal.addEventListener('abort', end, { once: true })
      this.#attempt = over
      const limit = deadline(clock, attemptMs, over.signal)
      try {
        await act(limit.signal)
        return
      } catch (error) {
        if (signal.aborted) return
        log.warn('store recovery failed; retrying', { error: String(error) })
        await sleep(clock, jitter(random, Math.min(5_000, 50 * 2 ** attempt), 0.5), signal).catch(() => {})
      } finally {
        limit.dispose()
        signal.removeEventListener('abort', end)
      }
    }
  }

  async #settle(signal: AbortSignal): Promise<Incarnation> {
    const count = this.#count
    const incarnation = await this.#incarnation(signal).catch((error: unknown) => {
      // Nothing was replaced, and the first incarnation cannot be written: a full disk must leave reads served.
      if (count === 0 && count === this.#count && isWriteFault(error)) this.#open()
      throw error
    })
    const { id, lost } = incarnation
    const historyFrom = count > 0 || lost > 0 ? await this.#pass(lost, signal) : 0
    // Replaced again meanwhile: then this is the incarnation of the store before.
    if (count !== this.#count) return incarnation
    // What is between the lost revisions and now is of this timeline, and a server that has just started may show it.
    this.timeline.forgetBefore(count > 0 ? historyFrom : Math.min(lost === 0 ? 0 : lost + 1, historyFrom))
    this.timeline.adopt(id)
    this.#open()
    return incarnation
  }

  #open(): void {
    this.#isReadable = true
    this.#readable.resolve()
  }

  /**
   * The store's incarnation, renewed if it is one from before the replacement. One that this server has never seen was
   * given by another server that noticed, and every server will be notified by it. Otherwise: A renews it to X; B is
   * notified by X and renews it to Y; A is notified by Y, and so on for ever.
   *
   * It names the newest revision that any server has seen of the timelines before: a server that starts later learns it
   * here, and answers 410 for what clients have seen there.
   */
  async #incarnation(signal: AbortSignal): Promise<Incarnation> {
    const count = this.#count
    const found = await readOne(this.timeline, incarnationKey, signal)
    const known = found && parseIncarnation(Buffer.from(found.value).toString())
    const isKept = known !== undefined && !this.#former.has(known.id)
    const id = isKept ? known.id : uuid(this.#world.random)
    // Before it is written: the answer may be lost. And replaced again meanwhile, it is one from before.
    const seen = count === this.#count ? this.#present : this.#former
    seen.add(id)
    const lost = Math.max(this.#highest, known?.lost ?? 0)
    // The first incarnation of a store: no restore was noticed, and no record has to tell of one.
    const isMarked = isKept ? known.isMarked : count === 0
    const incarnation = { id, lost, isMarked }
    if (!isKept || lost > known.lost) await this.#write(incarnation, found, signal)
    return incarnation
  }

  /** If it fails, the next server that starts marks the records once more. */
  async #noteMarked(id: string, count: number, signal: AbortSignal): Promise<void> {
    try {
      const found = await readOne(this.timeline, incarnationKey, signal)
      const known = found && parseIncarnation(Buffer.from(found.value).toString())
      // Replaced again meanwhile: then the records of another timeline are marked.
      if (count !== this.#count || known?.id !== id || known.isMarked) return
      await this.#write({ ...known, isMarked: true }, found, signal)
    } catch (error) {
      this.#world.log.info(
        'could not note that every agreement record has the recording gap; the next server that starts repeats it',
        {
          error: String(error),
        },
      )
    }
  }

  /** Passes the revisions that were handed out, and returns where the history begins that may be read from now on. */
  async #pass(lost: Revision, signal: AbortSignal): Promise<Revision> {
    const revision = await passRevisions(this.timeline, this.#tickKey, lost, signal)
    if (revision <= lost) {
      this.#world.log.error(
        'the store assigns revisions again that clients have seen: restart clients that watch, and restore with `etcdutl snapshot restore --bump-revision --mark-compacted`',
        { revision, highest: lost, mostPassedRevisions },
      )
    }
    return revision
  }

  /** Throws if another server has changed it meanwhile. */
  async #write(incarnation: Incarnation, found: Entry | undefined, signal: AbortSignal): Promise<void> {
    const guard: Guard = found
      ? { key: incarnationKey, value: found.value }
      : { key: incarnationKey, revision: 'absent' }
    const value = Buffer.from(incarnationText(incarnation))
    const { outcome } = await this.timeline.commit(
      { writes: [{ kind: 'put', key: incarnationKey, value }], guards: [guard] },
      signal,
    )
    if (outcome !== 'committed') throw new Error('another server changed the incarnation of the store')
  }
}

function isWriteFault(error: unknown): boolean {
  return (error instanceof StoreUnavailable || error instanceof OutcomeUnknown) && error.fault !== undefined
}

function gapOf({ clock }: World): GapCause {
  const at = new Date(clock.wallMs()).toISOString()
  return {
    reason: 'StoreRestored',
    message: `the store was restored from a backup, or replaced, before ${at}`,
  }
}
