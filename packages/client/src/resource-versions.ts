const decimal = /^(0|[1-9][0-9]*)$/

/**
 * Negative, zero or positive if `a` is older than, equal to or newer than `b`; undefined if one is not a decimal number.
 * Compares texts, because a resourceVersion may exceed the range of a JavaScript number.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!decimal.test(a) || !decimal.test(b)) return undefined
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : a > b ? 1 : 0
}
