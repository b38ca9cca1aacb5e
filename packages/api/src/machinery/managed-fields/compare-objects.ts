import { fieldOf, isJsonObject, type JsonObject, jsonEqual } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import {
  type Changes,
  type Comparison,
  comparisonOf,
  pathAdded,
  pathModified,
  pathRemoved,
  recordChange,
} from './comparison.ts'
import { emptyFieldSet, type FieldSet, fieldSetNode } from './field-set.ts'
import { fieldSchema, type ListElements, listElements, ownershipOf } from './list-elements.ts'
import { fieldElement } from './path-element.ts'

/**
 * What changed between two objects, in one walk that allocates only where something did. Paths of `ignored`
 * and all below them are not even looked at. `undefined` if nothing else differs.
 */
export function compareObjects(
  before: unknown,
  after: unknown,
  schema: Schema,
  ignored: FieldSet = emptyFieldSet,
): Comparison | undefined {
  return compareValues(before, after, schema, ignored)
}

function compareValues(
  before: unknown,
  after: unknown,
  schema: Schema | undefined,
  ignored: FieldSet | undefined,
): Comparison | undefined {
  if (before === after) return undefined
  const left = ownershipOf(before, schema)
  const right = ownershipOf(after, schema)
  if (left !== undefined && right !== undefined && left !== right) {
    return compareReshaped(before, after, schema, ignored)
  }
  const ownership = left ?? right
  // Two empty values are leaves: null, {} and [] differ, and nothing below them could say so.
  if (ownership === undefined || ownership === 'leaf' || (isHollow(before) && isHollow(after))) {
    return compareLeaves(before, after)
  }
  const itself = before === undefined ? pathAdded : after === undefined ? pathRemoved : undefined
  if (ownership === 'fields') {
    return comparisonOf(compareFields(objectOf(before), objectOf(after), schema, ignored), itself)
  }
  return compareLists(before, after, schema, itself)
}

function compareLeaves(before: unknown, after: unknown): Comparison | undefined {
  if (before === undefined) return pathAdded
  if (after === undefined) return pathRemoved
  return jsonEqual(before, after) ? undefined : pathModified
}

/** A text became an object, or an object a list: the path has a new value, and other things below it. */
function compareReshaped(
  before: unknown,
  after: unknown,
  schema: Schema | undefined,
  ignored: FieldSet | undefined,
): Comparison {
  const gone = compareValues(before, undefined, schema, ignored)
  const come = compareValues(undefined, after, schema, ignored)
  return {
    added: fieldSetNode(false, come?.added.children),
    modified: pathModified.modified,
    removed: fieldSetNode(false, gone?.removed.children),
  }
}

function isHollow(value: unknown): boolean {
  if (value === null || value === undefined) return true
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0
}

const nothing: JsonObject = {}
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : nothing)

function compareFields(
  before: JsonObject,
  after: JsonObject,
  schema: Schema | undefined,
  ignored: FieldSet | undefined,
): Changes | undefined {
  let changes: Changes | undefined
  for (const field of Object.keys(before)) {
    changes = compareField(changes, field, before[field], fieldOf(after, field), schema, ignored)
  }
  for (const field of Object.keys(after)) {
    if (Object.hasOwn(before, field)) continue
    changes = compareField(changes, field, undefined, after[field], schema, ignored)
  }
  return changes
}

function compareField(
  changes: Changes | undefined,
  field: string,
  before: unknown,
  after: unknown,
  schema: Schema | undefined,
  ignored: FieldSet | undefined,
): Changes | undefined {
  if (before === after) return changes
  const ignoredBelow = ignored?.children.get(fieldElement(field))
  if (ignoredBelow?.member) return changes
  const found = compareValues(before, after, fieldSchema(schema, field), ignoredBelow)
  return found === undefined ? changes : recordChange(changes, fieldElement(field), found)
}

function compareLists(
  before: unknown,
  after: unknown,
  schema: Schema | undefined,
  itself: Comparison | undefined,
): Comparison | undefined {
  // Paths of elements are texts that have to be built; most lists of most updates are as they were.
  if (jsonEqual(before, after)) return undefined
  const left = listElements(Array.isArray(before) ? before : [], schema)
  const right = listElements(Array.isArray(after) ? after : [], schema)
  if (left === undefined || right === undefined) return compareLeaves(before, after)
  return comparisonOf(compareElements(left, right, schema?.items), itself)
}

function compareElements(
  left: ListElements,
  right: ListElements,
  schema: Schema | undefined,
): Changes | undefined {
  let changes: Changes | undefined
  for (const [element, items] of left) {
    changes = recordChange(changes, element, compareItems(items, right.get(element) ?? [], schema))
  }
  for (const [element, items] of right) {
    if (!left.has(element)) changes = recordChange(changes, element, compareItems([], items, schema))
  }
  return changes
}

/** Twins share one path, so they are compared whole. */
function compareItems(
  before: readonly unknown[],
  after: readonly unknown[],
  schema: Schema | undefined,
): Comparison | undefined {
  if (before.length <= 1 && after.length <= 1) return compareValues(before[0], after[0], schema, undefined)
  if (before.length > 1 && after.length > 1) return jsonEqual(before, after) ? undefined : pathModified
  const gone = before.length > 1 ? pathRemoved : compareValues(before[0], undefined, schema, undefined)
  const come = after.length > 1 ? pathAdded : compareValues(undefined, after[0], schema, undefined)
  return {
    added: come?.added ?? emptyFieldSet,
    modified: emptyFieldSet,
    removed: gone?.removed ?? emptyFieldSet,
  }
}
