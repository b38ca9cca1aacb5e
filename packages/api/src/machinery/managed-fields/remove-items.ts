import { isJsonObject, type JsonObject, setField } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import type { FieldSet } from './field-set.ts'
import { elementOf, fieldSchema, ownershipOf } from './list-elements.ts'
import { fieldElement } from './path-element.ts'

/**
 * The object without the paths of a set and all below them. A map or list that loses all of its content becomes null. With
 * `keepRequired`, required fields stay: conversions rely on them.
 */
export function removeItems(
  object: JsonObject,
  gone: FieldSet,
  schema: Schema,
  { keepRequired = false }: { readonly keepRequired?: boolean } = {},
): JsonObject {
  return (removeBelow(object, gone, schema, keepRequired) ?? {}) as JsonObject
}

function removeBelow(
  value: unknown,
  gone: FieldSet,
  schema: Schema | undefined,
  keepRequired: boolean,
): unknown {
  switch (ownershipOf(value, schema)) {
    case 'fields':
      return removeFields(value as JsonObject, gone, schema, keepRequired)
    case 'elements':
      return removeElements(value as readonly unknown[], gone, schema, keepRequired)
    default:
      // Whatever is owned whole has no paths below it; if it had, it is not what the set was made for.
      return Array.isArray(value) || isJsonObject(value) ? null : value
  }
}

function removeFields(
  value: JsonObject,
  gone: FieldSet,
  schema: Schema | undefined,
  keepRequired: boolean,
): JsonObject | null {
  const kept: JsonObject = {}
  for (const field of Object.keys(value)) {
    const below = gone.children.get(fieldElement(field))
    const each = value[field]
    const stays = keepRequired && schema?.required?.includes(field) === true
    if (below === undefined || (stays && below.children.size === 0)) setField(kept, field, each)
    else if (!below.member || stays) {
      setField(kept, field, removeBelow(each, below, fieldSchema(schema, field), keepRequired))
    }
  }
  return Object.keys(kept).length === 0 ? null : kept
}

function removeElements(
  value: readonly unknown[],
  gone: FieldSet,
  schema: Schema | undefined,
  keepRequired: boolean,
): readonly unknown[] | null {
  const kept: unknown[] = []
  for (const item of value) {
    const element = elementOf(item, schema)
    const below = element === undefined ? undefined : gone.children.get(element)
    if (below === undefined) kept.push(item)
    else if (!below.member) kept.push(removeBelow(item, below, schema?.items, keepRequired))
  }
  return kept.length === 0 ? null : kept
}
