import type { History } from '../history.ts'
import type { StoreLog } from '../store-log.ts'

export interface Violation {
  readonly checker: string
  /** The moment in which the promise was broken, for readers of the trace. */
  readonly atMs: number
  readonly text: string
}

/** Looks at a whole history and says what should never have happened in it. */
export interface Checker {
  readonly name: string
  /** Says something of the end of a history; all others hold at every moment of it. */
  readonly ofTheEnd?: true
  check(history: History, log: StoreLog): Iterable<Omit<Violation, 'checker'>>
}
