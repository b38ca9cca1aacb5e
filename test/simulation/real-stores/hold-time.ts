import { chance, integer, type Random } from '@strata/world'

/** Less than a loose server waits for what it has on its way (agreement.md, rule 14). */
const longestMs = 5_000
const shortMs = 300

/** How long a fault holds something back, in simulated time: mostly a hiccup, sometimes longer than callers wait. */
export function holdTimeMs(random: Random): number {
  return 1 + integer(random, chance(random, 0.8) ? shortMs : longestMs)
}
