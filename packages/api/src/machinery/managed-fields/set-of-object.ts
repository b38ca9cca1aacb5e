import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { type FieldSet, fieldSetNode, isFieldSetEmpty, leafFieldSet } from './field-set.ts'
import { declaredField, fieldSchema, listElements, ownershipOf } from './list-elements.ts'
import { fieldElement, type PathElement } from './path-element.ts'

/**
 * The paths an object claims: what a manager owns who applies it. A struct is claimed by its fields, a map by
 * its keys; neither by itself unless it is empty, else two appliers of different keys would share the map.
 */
export function setOfObject(object: unknown, schema: Schema): FieldSet {
  return fieldSetNode(false, claimOf(object, schema).children)
}

function claimOf(value: unknown, schema: Schema | undefined): FieldSet {
  switch (ownershipOf(value, schema)) {
    case 'fields':
      return claimOfFields(value as JsonObject, schema)
    case 'elements':
      return claimOfElements(value as readonly unknown[], schema)
    default:
      return leafFieldSet
  }
}

function claimOfFields(value: JsonObject, schema: Schema | undefined): FieldSet {
  const children = new Map<PathElement, FieldSet>()
  for (const field of Object.keys(value)) {
    const each = value[field]
    if (each === undefined) continue
    const claim = claimOf(each, fieldSchema(schema, field))
    const itself = claim.member || isEmptyObject(each) || declaredField(schema, field) === undefined
    const node = fieldSetNode(itself, claim.children)
    if (!isFieldSetEmpty(node)) children.set(fieldElement(field), node)
  }
  return fieldSetNode(false, children)
}

function claimOfElements(value: readonly unknown[], schema: Schema | undefined): FieldSet {
  const elements = listElements(value, schema)
  if (elements === undefined) return leafFieldSet
  const children = new Map<PathElement, FieldSet>()
  for (const [element, items] of elements) {
    // Items with the same path cannot be distinguished, so they are claimed whole.
    const claim = items.length > 1 ? leafFieldSet : claimOf(items[0], schema?.items)
    children.set(element, fieldSetNode(true, claim.children))
  }
  return fieldSetNode(false, children)
}

const isEmptyObject = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0
