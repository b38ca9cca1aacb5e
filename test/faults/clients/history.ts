import { nodeClock } from '@strata/world/node'
import type { Action, Operation, Outcome } from '../checkers/operation.ts'

/** When an operation was begun. */
export interface Call {
  readonly invokedMs: number
  readonly incarnation: number | undefined
}

/** Where all clients of one round record their requests and responses. */
export class History {
  readonly operations: Operation[] = []
  /** Answers that no fault excuses. */
  readonly unexpected: string[] = []
  readonly counts = { acknowledged: 0, reads: 0, refused: 0, unknown: 0, conflicts: 0 }
  /** Completed restores; undefined while one is under way. */
  incarnation: number | undefined = 0

  call(): Call {
    return { invokedMs: nodeClock.monotonicMs(), incarnation: this.incarnation }
  }

  add(client: string, key: string, action: Action, outcome: Outcome, call: Call): void {
    const returnedMs = outcome.is === 'unknown' ? Number.POSITIVE_INFINITY : nodeClock.monotonicMs()
    // An answer that crossed a restore may speak of either past.
    const incarnation = call.incarnation === this.incarnation ? call.incarnation : undefined
    const { invokedMs } = call
    this.operations.push({ client, key, action, outcome, invokedMs, returnedMs, incarnation })
    this.counts[countOf(outcome)]++
  }

  complain(text: string): void {
    // The first say it all.
    if (this.unexpected.length < 20) this.unexpected.push(text)
  }
}

function countOf({ is }: Outcome): keyof History['counts'] {
  switch (is) {
    case 'stored':
    case 'deleted':
    case 'done':
      return 'acknowledged'
    case 'seen':
    case 'absent':
      return 'reads'
    case 'refused':
    case 'unknown':
      return is
    case 'exists':
    case 'conflict':
      return 'conflicts'
  }
}
