const decimal = /^(0|[1-9][0-9]*)$/

/**
 * Negative, zero or positive as `a` is older than, equal to or newer than `b`; undefined where that cannot be
 * told. Of any length: a resourceVersion may be beyond what a number holds.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!decimal.test(a) || !decimal.test(b)) return undefined
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}
