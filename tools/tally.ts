export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 }

export const addTallies = (a: Tally, b: Tally): Tally => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

/** As in `12 passed, 0 failed`, which is also how the whole run ends. */
export const formatTally = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
