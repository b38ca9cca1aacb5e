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
  /** The continue token of the next page; undefined for the last one. */
  readonly next: string | undefined
  unsettled: number
  tally: Tally
  quarantine: Quarantine
}

export interface LedgerState {
  /** The token of the first page that is not settled; undefined for the beginning. */
  readonly continueToken?: string | undefined
  /** Nothing is left to be done. */
  readonly isComplete?: true | undefined
  /** Counts all objects before that page; `rewrittenBefore` counts those rewritten after it. */
  readonly tally: Tally
  readonly quarantine: Quarantine
  /** The progress that was reached, with objects after that place, which are visited again; absent if there are none. */
  readonly reached?: Reached | undefined
}

/** Progress that was reported: it does not decrease when some objects are visited again. */
export interface Reached {
  readonly settled: number
  readonly alreadyCurrent: number
}

const nothing: Reached = { settled: 0, alreadyCurrent: 0 }

export const emptyLedger: LedgerState = { tally: emptyTally, quarantine: emptyQuarantine }

/**
 * The outcomes of the objects of one pass, page by page. An object that is retried later must not delay the others, and
 * must not be forgotten when the process is killed: a process that resumes begins with the oldest page that is not settled,
 * and with the counts of those before it.
 */
export class Ledger {
  #before: Reached
  #settled: LedgerState
  #open: OpenPage[] = []

  constructor({ reached = nothing, ...state }: LedgerState = emptyLedger) {
    this.#settled = state
    this.#before = reached
  }

  /** Pages are opened in the order of the listing. `settled` counts objects of the page that were dealt with already. */
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
   * Counts writes of a page that was dropped when the listing started again: its objects are listed again, and those that we
   * have rewritten are current by then. Otherwise: (1) the second pass sends a write of a stale object; (2) the listing
   * expires; (3) the write is answered; (4) the object is found current. So the pass counts as clean, and has rewritten one.
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

  /** Where to resume after a crash. */
  get state(): LedgerState {
    const { tally } = this.#settled
    const { reached } = this
    const rewrittenBefore = tally.rewrittenBefore + rewrittenIn(this.tally) - rewrittenIn(tally)
    const isBehind = reached.settled > settledOf(tally)
    return { ...this.#settled, tally: { ...tally, rewrittenBefore }, ...(isBehind ? { reached } : {}) }
  }

  /**
   * An object that is current, or newer than its listing, while objects that we have rewritten are yet to be listed again, is
   * taken for one of those: it counts as rewritten, and not also as current. (A resumed listing shows objects as they were when
   * it began, so writes of those that we have rewritten since are refused as overtaken.)
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
