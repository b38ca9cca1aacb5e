import type { Schema } from '../schema.ts'
import { type FieldSet, fieldSetNode } from './field-set.ts'
import { declaredField, fieldSchema } from './list-elements.ts'
import type { PathElement } from './path-element.ts'

/**
 * The set with every declared field that something is owned below of. A struct is owned by its fields and not by
 * itself; when the last of them goes, so does the struct, and for that it must be named.
 */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  if (set.children.size === 0) return set
  const children = new Map<PathElement, FieldSet>()
  for (const [element, child] of set.children) {
    const named = withNamedFields(child, schemaBelow(schema, element))
    const declared = element.startsWith('f:') && declaredField(schema, element.slice(2)) !== undefined
    children.set(element, declared && !named.member ? fieldSetNode(true, named.children) : named)
  }
  return fieldSetNode(set.member, children)
}

export function schemaBelow(schema: Schema | undefined, element: PathElement): Schema | undefined {
  if (element.startsWith('f:')) return fieldSchema(schema, element.slice(2))
  return schema?.items
}
