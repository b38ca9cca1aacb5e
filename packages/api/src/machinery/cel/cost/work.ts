/** Ends an evaluation that has cost more than it may. Not a value: nothing may absorb it. */
export class CostLimitExceeded extends Error {}

/**
 * Costs are counted as upstream counts them, and some operations cost far less than they take: a list of lists that share
 * their elements is as cheap to compare as a short one. So steps are counted besides. No sensible rule comes near.
 */
const maxSteps = 4_000_000
/** Longer than any text in a request. */
const maxTextLength = 20_000_000

// Evaluations run from their beginning to their end, one after the other.
let steps = 0

export function beginWork(): void {
  steps = 0
}

export function work(count = 1): void {
  steps += count
  if (steps > maxSteps) throw new CostLimitExceeded('an operation takes too many steps')
}

/** Called before a text of that length is made. */
export function textWork(length: number): void {
  if (length > maxTextLength) throw new CostLimitExceeded('an operation makes a text that is too long')
}
