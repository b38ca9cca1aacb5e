import type { Schema } from '../schema.ts'
import { type FieldSet, fieldSetNode, leafFieldSet } from './field-set.ts'
import { schemaBelow } from './named-fields.ts'
import type { PathElement } from './path-element.ts'

/**
 * The set in terms of the current schema. If a list or a map has become atomic, a manager that owned a
 * part of it now owns all of it. In the other direction nothing changes: an owner of the whole stays that, until
 * it applies again. Returns the same set if nothing has changed.
 */
export function reconcileFieldSet(set: FieldSet, schema: Schema): FieldSet {
  return reconcile(set, schema)
}

function reconcile(set: FieldSet, schema: Schema | undefined): FieldSet {
  if (schema === undefined || set.children.size === 0) return set
  if (isOwnedWhole(schema)) return leafFieldSet
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, child] of set.children) {
    const reconciled = reconcile(child, schemaBelow(schema, element))
    if (reconciled === child) continue
    children ??= new Map(set.children)
    children.set(element, reconciled)
  }
  return children === undefined ? set : fieldSetNode(set.member, children)
}

function isOwnedWhole(schema: Schema): boolean {
  if (schema.type === 'array') {
    const listType = schema['x-kubernetes-list-type']
    return listType !== 'set' && listType !== 'map'
  }
  return schema['x-kubernetes-map-type'] === 'atomic'
}
