import { integer, type Random } from '@strata/world'

/** Rates are chances in [0, 1] per request. Zero everywhere is a perfect network without delay. */
export interface Faults {
  /** How long each leg of a request, and each batch of a watch, is under way. */
  readonly delayMs: { readonly from: number; readonly to: number }
  /** The request never reaches the store. */
  readonly requestLost: number
  /** The store acts, and its answer is lost. */
  readonly answerLost: number
  /** The store gets a commit a second time, later. */
  readonly commitRepeated: number
  /** A commit takes much longer than its caller waits: up to `latestMs`, whatever the caller does. */
  readonly commitLate: number
  readonly latestMs: number
  /** After a batch the watch breaks, and resumes by itself. */
  readonly watchCut: number
  /** A watch that resumes gets the last revision once more, whole: the only repeat that is allowed. */
  readonly watchRepeat: number
}

export const noFaults: Faults = {
  delayMs: { from: 0, to: 0 },
  requestLost: 0,
  answerLost: 0,
  commitRepeated: 0,
  commitLate: 0,
  latestMs: 0,
  watchCut: 0,
  watchRepeat: 0,
}

export function happens(random: Random, rate: number): boolean {
  // With a rate of zero no number is drawn, so that a world without this fault does not depend on it.
  return rate > 0 && random.fraction() < rate
}

export function pickDelayMs(random: Random, { from, to }: Faults['delayMs']): number {
  return to > from ? from + integer(random, to - from + 1) : from
}
