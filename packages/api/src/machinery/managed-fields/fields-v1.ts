import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import { emptyFieldSet, type FieldSet, fieldSetNode, isFieldSetEmpty, unionFieldSets } from './field-set.ts'
import { FieldsV1Malformed, type PathElement, parsePathElement, sortPathElements } from './path-element.ts'

/** The tree that stands in `fieldsV1`. Throws `FieldsV1Malformed`. */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (fields === null || fields === undefined) return emptyFieldSet
  const { children } = parseNode(fields)
  return fieldSetNode(false, children)
}

function parseNode(node: unknown): FieldSet {
  if (node === null) return fieldSetNode(true, undefined)
  if (!isJsonObject(node)) throw new FieldsV1Malformed('expected an object')
  const children = new Map<PathElement, FieldSet>()
  for (const key of Object.keys(node)) {
    const element = key === '.' ? undefined : parsePathElement(key)
    if (element === undefined) continue
    const child = parseNode(node[key])
    const twin = children.get(element)
    // `k:{"a":1,"b":2}` and `k:{"b":2,"a":1}` are one path.
    children.set(element, twin === undefined ? child : unionFieldSets(twin, child))
  }
  // A node without children is a path itself, so its dot is omitted.
  return fieldSetNode(Object.hasOwn(node, '.') || children.size === 0, children)
}

/** In upstream's order, so that the same set is the same bytes. */
export function fieldsV1Of(set: FieldSet): JsonObject {
  const fields: JsonObject = {}
  for (const element of sortPathElements(set.children.keys())) {
    const child = set.children.get(element)
    if (child === undefined || isFieldSetEmpty(child)) continue
    const below = fieldsV1Of(child)
    fields[element] = child.member && child.children.size > 0 ? { '.': {}, ...below } : below
  }
  return fields
}
