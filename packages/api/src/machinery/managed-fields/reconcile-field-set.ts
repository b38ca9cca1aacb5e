import type { Schema } from '../schema.ts'
import { type FieldSet, fieldSetNode, leafFieldSet } from './field-set.ts'
import { schemaBelow } from './named-fields.ts'
import type { PathElement } from './path-element.ts'

/**
 * A set as the schema of today says it. Where a list or a map has become one that is owned whole, whoever owned a
 * part of it owns all of it now. The other way round nothing has to be done: an owner of the whole stays that, until
 * it applies again. The very set where nothing has changed.
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
