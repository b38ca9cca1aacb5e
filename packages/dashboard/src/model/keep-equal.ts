/**
 * The new list, with the objects of the old one wherever nothing in them has changed: who draws them sees by identity what to draw
 * anew. Objects are plain data.
 */
export function keepEqual<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (each: T) => string,
): readonly T[] {
  const known = new Map(before.map((each) => [keyOf(each), each]))
  const kept = after.map((each) => {
    const old = known.get(keyOf(each))
    return old !== undefined && isEqual(old, each) ? old : each
  })
  return kept.length === before.length && kept.every((each, index) => each === before[index]) ? before : kept
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [one, other] = [a as Fields, b as Fields]
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  )
}

type Fields = Readonly<Record<string, unknown>>
