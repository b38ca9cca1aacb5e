import { chance, integer, pick, type Random } from '@strata/world'
import { listOf, shortName, text } from './text.ts'

const numbers = [0, 1, -1, 2, 3, 7, 100, 0.5, -1.25, 1e21, 1e-7, 2 ** 31, 2 ** 53, -(2 ** 53)] as const

export const number = (random: Random): number =>
  chance(random, 0.8) ? pick(random, numbers) : integer(random, 1_000_000) - 500_000

/** Any JSON value. Field names come from a small pool, so that documents and patches meet. */
export function jsonValue(random: Random, depth = 3): unknown {
  const draw = random.fraction()
  if (depth > 0 && draw < 0.25) return jsonObject(random, depth - 1)
  if (depth > 0 && draw < 0.45) return listOf(random, 4, (each) => jsonValue(each, depth - 1))
  if (draw < 0.6) return number(random)
  if (draw < 0.7) return chance(random, 0.5)
  if (draw < 0.78) return null
  return text(random)
}

export function jsonObject(random: Random, depth = 3): Record<string, unknown> {
  return fieldsOf(listOf(random, 4, (each) => [fieldName(each), jsonValue(each, depth)]))
}

export const fieldName = (random: Random): string => (chance(random, 0.85) ? shortName(random) : text(random))

/** An assignment to `__proto__` would set no field. */
export function fieldsOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries)
}

/** A value with one part changed: replaced, removed, renamed, repeated, or made very deep. */
export function mutateJson(random: Random, value: unknown, other: () => unknown): unknown {
  const here = chance(random, 0.25)
  if (here || typeof value !== 'object' || value === null) return replaced(random, value, other)
  if (Array.isArray(value)) return mutateList(random, value, other)
  return mutateObject(random, value as Record<string, unknown>, other)
}

function mutateList(random: Random, list: readonly unknown[], other: () => unknown): unknown {
  const at = integer(random, list.length + 1)
  const draw = random.fraction()
  if (draw < 0.2) return [...list.slice(0, at), other(), ...list.slice(at)]
  if (at >= list.length) return [...list, ...list.slice(-1)]
  if (draw < 0.4) return list.toSpliced(at, 1)
  if (draw < 0.5) return list.toSpliced(at, 0, list[at])
  return list.with(at, mutateJson(random, list[at], other))
}

function mutateObject(random: Random, object: Record<string, unknown>, other: () => unknown): unknown {
  const entries = Object.entries(object)
  const at = integer(random, entries.length + 1)
  const [field, value] = entries[at] ?? [fieldName(random), other()]
  const draw = random.fraction()
  if (at >= entries.length) return fieldsOf([...entries, [field, value]])
  if (draw < 0.15) return fieldsOf(entries.toSpliced(at, 1))
  if (draw < 0.25) return fieldsOf(entries.with(at, [fieldName(random), value]))
  return fieldsOf(entries.with(at, [field, mutateJson(random, value, other)]))
}

function replaced(random: Random, value: unknown, other: () => unknown): unknown {
  const draw = random.fraction()
  if (draw < 0.03) return deep(random, value)
  if (draw < 0.06 && typeof value === 'string') return value.repeat(1 + integer(random, 200))
  if (draw < 0.2) return null
  if (draw < 0.3) return [value]
  if (draw < 0.5) return other()
  return jsonValue(random, 2)
}

function deep(random: Random, value: unknown): unknown {
  let made = value
  const isList = chance(random, 0.5)
  for (let level = integer(random, 400); level > 0; level--) made = isList ? [made] : { a: made }
  return made
}
