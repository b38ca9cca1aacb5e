import { fieldOf, isJsonObject, type JsonObject, jsonEqual } from '@strata/api'
import { type FieldPath, fieldPathText } from './field-path.ts'

/** A field that only one of two objects has, or that has another value in each. */
export interface FieldDifference {
  /** `spec.rules[0].port` */
  readonly path: string
  /** Absent if only the second object has the field. */
  readonly before?: unknown
  /** Absent if only the first object has the field. */
  readonly after?: unknown
}

export interface ValueDifferences {
  readonly lost: readonly FieldDifference[]
  readonly changed: readonly FieldDifference[]
  readonly added: readonly FieldDifference[]
}

/**
 * Compares two JSON values field by field. A field that one value lacks is one difference, with everything below it. Items of
 * lists are compared by position: pruning and defaulting keep the order.
 */
export function compareValues(before: unknown, after: unknown): ValueDifferences {
  const lost: FieldDifference[] = []
  const changed: FieldDifference[] = []
  const added: FieldDifference[] = []

  function compare(one: unknown, other: unknown, path: FieldPath): void {
    if (jsonEqual(one, other)) return
    if (isJsonObject(one) && isJsonObject(other)) return compareFields(one, other, path)
    if (Array.isArray(one) && Array.isArray(other)) return compareItems(one, other, path)
    changed.push({ path: fieldPathText(path), before: one, after: other })
  }

  function compareFields(one: JsonObject, other: JsonObject, path: FieldPath): void {
    for (const field of Object.keys(one)) {
      visit(fieldOf(one, field), fieldOf(other, field), [...path, field])
    }
    for (const field of Object.keys(other)) {
      if (fieldOf(one, field) === undefined) visit(undefined, fieldOf(other, field), [...path, field])
    }
  }

  function compareItems(one: readonly unknown[], other: readonly unknown[], path: FieldPath): void {
    for (let index = 0; index < Math.max(one.length, other.length); index++) {
      visit(one[index], other[index], [...path, index])
    }
  }

  function visit(one: unknown, other: unknown, path: FieldPath): void {
    if (one === undefined && other === undefined) return
    if (other === undefined) lost.push({ path: fieldPathText(path), before: one })
    else if (one === undefined) added.push({ path: fieldPathText(path), after: other })
    else compare(one, other, path)
  }

  compare(before, after, [])
  return { lost, changed, added }
}
