import { cloneJson, isJsonObject, setField } from '../patch/json-value.ts'
import type { SchemaNode } from './schema-node.ts'

/** Fills in what is left out, and what is null and may not be. */
export function defaultValue(value: unknown, node: SchemaNode): void {
  if (value === null || typeof value !== 'object' || !node.below.defaults) return
  if (Array.isArray(value)) {
    const { items } = node
    if (!items) return
    for (const [index, each] of value.entries()) {
      if (each === null && !items.schema.nullable) value[index] = cloneJson(items.default)
      defaultValue(value[index], items)
    }
    return
  }
  if (!isJsonObject(value)) return
  for (const [field, child] of node.defaults) {
    const isThere = Object.hasOwn(value, field) && value[field] !== undefined
    if (isThere && !(value[field] === null && !child.schema.nullable)) continue
    setField(value, field, cloneJson(child.default))
  }
  for (const field in value) {
    const each = value[field]
    if (typeof each !== 'object') continue
    const named = node.field(field)
    if (named) defaultValue(each, named)
    else if (node.additional) {
      const { additional } = node
      if (each === null && !additional.schema.nullable) {
        setField(value, field, cloneJson(additional.default))
      }
      defaultValue(value[field], additional)
    }
  }
}
