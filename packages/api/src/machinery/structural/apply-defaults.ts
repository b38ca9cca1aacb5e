import { cloneJson, isJsonObject, setField } from '../patch/json-value.ts'
import type { SchemaNode } from './schema-node.ts'

/** How much may be filled in, in characters of JSON. */
export interface Room {
  left: number
  readonly onFull: () => never
}

/**
 * Fills in what is left out, and what is null and may not be. Where there is no room for all of it, `onFull` throws: a
 * list of a million empty objects is short, and with sixty defaults in each it is more than a process can hold.
 */
export function defaultValue(value: unknown, node: SchemaNode, room?: Room): void {
  if (value === null || typeof value !== 'object' || !node.below.defaults) return
  if (Array.isArray(value)) {
    const { items } = node
    if (!items) return
    for (const [index, each] of value.entries()) {
      if (each === null && !items.schema.nullable) value[index] = filledIn(items, room)
      defaultValue(value[index], items, room)
    }
    return
  }
  if (!isJsonObject(value)) return
  for (const [field, child] of node.defaults) {
    const isThere = Object.hasOwn(value, field) && value[field] !== undefined
    if (isThere && !(value[field] === null && !child.schema.nullable)) continue
    setField(value, field, filledIn(child, room))
  }
  for (const field in value) {
    const each = value[field]
    if (typeof each !== 'object') continue
    const named = node.field(field)
    if (named) defaultValue(each, named, room)
    else if (node.additional) {
      const { additional } = node
      if (each === null && !additional.schema.nullable) {
        setField(value, field, filledIn(additional, room))
      }
      defaultValue(value[field], additional, room)
    }
  }
}

function filledIn(node: SchemaNode, room: Room | undefined): unknown {
  if (room) {
    room.left -= node.defaultLength
    if (room.left < 0) room.onFull()
  }
  return cloneJson(node.default)
}
