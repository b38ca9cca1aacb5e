import { fieldOf, isJsonObject, type JsonObject } from '../patch/json-value.ts'
import { additionalSchema, type Schema } from '../schema.ts'
import { keyElement, type PathElement, valueElement } from './path-element.ts'

/** How a value is owned: whole, or field by field, or element by element. `undefined` for nothing and null. */
export type Ownership = 'leaf' | 'fields' | 'elements'

/** Values without a schema are owned field by field, and their lists whole. */
export function ownershipOf(value: unknown, schema: Schema | undefined): Ownership | undefined {
  if (value === null || value === undefined) return undefined
  if (Array.isArray(value)) {
    const type = schema?.['x-kubernetes-list-type']
    return type === 'set' || type === 'map' ? 'elements' : 'leaf'
  }
  if (!isJsonObject(value)) return 'leaf'
  return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'fields'
}

/** The schema of a field; a declared one is part of a struct, any other a key of a map. */
export function fieldSchema(schema: Schema | undefined, field: string): Schema | undefined {
  return declaredField(schema, field) ?? additionalSchema(schema)
}

export function declaredField(schema: Schema | undefined, field: string): Schema | undefined {
  const properties = schema?.properties
  return properties && Object.hasOwn(properties, field) ? properties[field] : undefined
}

export type ListElements = ReadonlyMap<PathElement, readonly [unknown, ...unknown[]]>

/**
 * The elements of a list by their path, duplicates together. `undefined` if one of them has no path, because
 * it lacks its keys or is no scalar: such a list, which validation refuses anyway, is owned whole.
 */
export function listElements(list: readonly unknown[], schema: Schema | undefined): ListElements | undefined {
  const elements = new Map<PathElement, [unknown, ...unknown[]]>()
  for (const item of list) {
    const element = elementOf(item, schema)
    if (element === undefined) return undefined
    const twins = elements.get(element)
    if (twins) twins.push(item)
    else elements.set(element, [item])
  }
  return elements
}

const isScalar = (value: unknown): boolean =>
  value !== null && value !== undefined && !Array.isArray(value) && !isJsonObject(value)

/** The path of one element of a list; `undefined` if it has none. */
export function elementOf(item: unknown, schema: Schema | undefined): PathElement | undefined {
  if (schema?.['x-kubernetes-list-type'] === 'set') {
    return isScalar(item) ? valueElement(item) : undefined
  }
  if (!isJsonObject(item)) return undefined
  const keys: JsonObject = {}
  for (const key of schema?.['x-kubernetes-list-map-keys'] ?? []) {
    // A key that was left out stands for its default; one without a default tells elements apart by its absence.
    const value = fieldOf(item, key) ?? declaredField(schema?.items, key)?.default
    if (value !== undefined) keys[key] = value
  }
  return Object.keys(keys).length === 0 ? undefined : keyElement(keys)
}
