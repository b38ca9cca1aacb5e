import {
  emptyQuarantine,
  joinQuarantines,
  type Quarantine,
  type Quarantined,
  withQuarantined,
} from './quarantine.ts'
import { addTallies, begunAnew, emptyTally, type Settlement, type Tally } from './tally.ts'

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
  /** Of everything before it. */
  readonly tally: Tally
  readonly quarantine: Quarantine
}

export const emptyLedger: LedgerState = { tally: emptyTally, quarantine: emptyQuarantine }

/**
 * What became of the objects of one pass, page by page. An object that is tried again later must not hold up the others, and
 * must not be forgotten when the process is killed: whoever resumes begins with the oldest page that is not settled, and
 * with the counts of those before it.
 */
export class Ledger {
  #settled: LedgerState
  #open: OpenPage[] = []

  constructor(state: LedgerState = emptyLedger) {
    this.#settled = state
  }

  /** Pages are opened in the order of the listing. Of some, others have been settled already. */
  open(objects: number, next: string | undefined, settled: Tally = emptyTally): OpenPage {
    const page = { next, unsettled: objects, tally: settled, quarantine: emptyQuarantine }
    this.#open.push(page)
    this.#close()
    return page
  }

  settle(page: OpenPage, settlement: Settlement, quarantined?: Quarantined): void {
    page.unsettled--
    page.tally = { ...page.tally, [settlement]: page.tally[settlement] + 1 }
    if (quarantined) page.quarantine = withQuarantined(page.quarantine, quarantined)
    if (page.unsettled === 0) this.#close()
  }

  /** The listing has to be read from its start again. */
  beginAnew(): void {
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

  /** Where to go on after a sudden end. */
  get state(): LedgerState {
    return this.#settled
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
