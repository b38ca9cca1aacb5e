import {
  emptyQuarantine,
  joinQuarantines,
  type Quarantine,
  type Quarantined,
  withQuarantined,
} from './quarantine.ts'
import {
  addTallies,
  begunAnew,
  emptyTally,
  rewrittenIn,
  type Settlement,
  settledOf,
  type Tally,
} from './tally.ts'

/** A page of the listing whose objects are not all settled. */
export interface OpenPage {
  /** What the page after it is asked for with; undefined for the last one. */
  readonly next: string | undefined
  unsettled: number
  tally: Tally
  quarantine: Quarantine
}

export interface LedgerState {
  /** Of the first page that has something to be done; undefined for the beginning. */
  readonly continueToken?: string
  /** Nothing is left to be done. */
  readonly isComplete?: true
  /** Of everything before it; what was rewritten behind it is `rewrittenBefore`. */
  readonly tally: Tally
  readonly quarantine: Quarantine
  /** How far it had come, with what is behind that place and will be met again; absent where nothing is. */
  readonly reached?: Reached
}

/** What people have been told: it is not taken back when some of it is looked at again. */
export interface Reached {
  readonly settled: number
  readonly alreadyCurrent: number
}

const nothing: Reached = { settled: 0, alreadyCurrent: 0 }

export const emptyLedger: LedgerState = { tally: emptyTally, quarantine: emptyQuarantine }

/**
 * What became of the objects of one pass, page by page. An object that is tried again later must not hold up the others, and
 * must not be forgotten when the process is killed: whoever resumes begins with the oldest page that is not settled, and
 * with the counts of those before it.
 */
export class Ledger {
  #before: Reached
  #settled: LedgerState
  #open: OpenPage[] = []

  constructor({ reached = nothing, ...state }: LedgerState = emptyLedger) {
    this.#settled = state
    this.#before = reached
  }

  /** Pages are opened in the order of the listing. Of some, others have been settled already. */
  open(objects: number, next: string | undefined, settled: Tally = emptyTally): OpenPage {
    const page = { next, unsettled: objects, tally: this.#known(settled), quarantine: emptyQuarantine }
    this.#open.push(page)
    this.#close()
    return page
  }

  settle(page: OpenPage, settlement: Settlement, quarantined?: Quarantined): void {
    page.unsettled--
    if (!this.#open.includes(page)) {
      this.#settleLate({ ...emptyTally, [settlement]: 1 })
      return
    }
    page.tally = addTallies(page.tally, this.#known({ ...emptyTally, [settlement]: 1 }))
    if (quarantined) page.quarantine = withQuarantined(page.quarantine, quarantined)
    if (page.unsettled === 0) this.#close()
  }

  /**
   * Of a page that was given up when the listing began anew: all of it is met again, and by then what we have rewritten is
   * current. Without it: the second pass sends a write of a stale object, the listing expires, the write is answered, and
   * the object is found current; the pass has found nothing, and has rewritten one.
   */
  #settleLate(tally: Tally): void {
    const rewrittenBefore = rewrittenIn(tally)
    if (rewrittenBefore === 0) return
    const before = this.#settled.tally
    this.#settled = { ...this.#settled, tally: addTallies(before, { ...emptyTally, rewrittenBefore }) }
  }

  /** The listing has to be read from its start again. */
  beginAnew(): void {
    this.#before = this.reached
    this.#settled = { ...emptyLedger, tally: begunAnew(this.tally) }
    this.#open = []
  }

  get openPages(): number {
    return this.#open.length
  }

  get tally(): Tally {
    return this.#open.reduce((sum, { tally }) => addTallies(sum, tally), this.#settled.tally)
  }

  get quarantine(): Quarantine {
    return this.#open.reduce(
      (all, { quarantine }) => joinQuarantines(all, quarantine),
      this.#settled.quarantine,
    )
  }

  get reached(): Reached {
    const { tally } = this
    return {
      settled: Math.max(this.#before.settled, settledOf(tally)),
      alreadyCurrent: Math.max(this.#before.alreadyCurrent, tally.alreadyCurrent),
    }
  }

  /** Where to go on after a sudden end. */
  get state(): LedgerState {
    const { tally } = this.#settled
    const { reached } = this
    const rewrittenBefore = tally.rewrittenBefore + rewrittenIn(this.tally) - rewrittenIn(tally)
    const isBehind = reached.settled > settledOf(tally)
    return { ...this.#settled, tally: { ...tally, rewrittenBefore }, ...(isBehind ? { reached } : {}) }
  }

  /**
   * What is found current, or in a newer state than it was listed in, while some of what we have rewritten is yet to be met again
   * was one of those: it is counted as rewritten, in its place, and not as current besides. (A place to go on from lists
   * objects as they were when the listing began, so that those which we have rewritten since are refused as overtaken.)
   */
  #known(tally: Tally): Tally {
    const { rewrittenBefore } = this.#settled.tally.rewrittenBefore === 0 ? emptyTally : this.tally
    const current = Math.min(tally.alreadyCurrent, rewrittenBefore)
    const overtaken = Math.min(tally.overtaken, rewrittenBefore - current)
    const ours = current + overtaken
    if (ours === 0) return tally
    const known = { alreadyCurrent: -current, overtaken: -overtaken, migrated: ours, rewrittenBefore: -ours }
    return addTallies(tally, { ...emptyTally, ...known })
  }

  #close(): void {
    for (let first = this.#open[0]; first?.unsettled === 0; first = this.#open[0]) {
      this.#open.shift()
      const { tally, quarantine } = this.#settled
      const done = {
        tally: addTallies(tally, first.tally),
        quarantine: joinQuarantines(quarantine, first.quarantine),
      }
      const { next } = first
      this.#settled = { ...done, ...(next === undefined ? { isComplete: true } : { continueToken: next }) }
    }
  }
}
