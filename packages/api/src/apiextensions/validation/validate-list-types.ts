import {
  type FieldError,
  fieldForbidden,
  invalid,
  notSupported,
  required,
} from '../../machinery/field-error.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { itemsOf } from './walk-schema.ts'

const listType = 'x-kubernetes-list-type'
const mapType = 'x-kubernetes-map-type'
const mapKeys = 'x-kubernetes-list-map-keys'

export function validateMapType(schema: JsonSchemaProps, path: string): FieldError[] {
  const said = schema[mapType]
  if (said === undefined) return []
  const kinds = ['atomic', 'granular']
  return [
    ...mustBe('object', schema, path, mapType),
    ...(kinds.includes(said) ? [] : [notSupported(`${path}.${mapType}`, said, kinds)]),
  ]
}

export function validateListType(
  schema: JsonSchemaProps,
  path: string,
  requireAtomic: boolean,
): FieldError[] {
  const said = schema[listType]
  const keys = schema[mapKeys] ?? []
  const errors: FieldError[] = []
  if (said !== undefined) {
    const misplaced = mustBe('array', schema, path, listType)
    if (misplaced.length > 0) errors.push(...misplaced)
    else if (requireAtomic) errors.push(...nonAtomicItems(schema, path))
    const kinds = ['atomic', 'set', 'map']
    if (!kinds.includes(said)) errors.push(notSupported(`${path}.${listType}`, said, kinds))
  }
  if (keys.length > 0 && said !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const at = `${path}.${listType}`
    errors.push(said === undefined ? required(at, why) : invalid(at, said, why))
  }
  if (said === 'map') errors.push(...mapItems(schema, keys, path))
  return errors
}

function mustBe(
  type: string,
  schema: JsonSchemaProps,
  path: string,
  word: typeof listType | typeof mapType,
): FieldError[] {
  if (schema.type === type) return []
  const why = `must be ${type} if ${word} is specified`
  return [schema.type ? invalid(`${path}.type`, schema.type, why) : required(`${path}.type`, why)]
}

/** Items of a set are identified by their whole value, so no manager may own a part of one. */
export function nonAtomicItems(schema: JsonSchemaProps, path: string): FieldError[] {
  const items = itemsOf(schema)
  if (schema[listType] !== 'set' || !items) return []
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const wrong =
    items.type === 'array'
      ? items[listType] !== undefined && items[listType] !== 'atomic' && listType
      : items.type === 'object' && items[mapType] !== 'atomic' && mapType
  // For maps too upstream shows the type that the items have as lists.
  return wrong ? [invalid(`${path}.items.${wrong}`, items[listType] ?? null, why)] : []
}

function mapItems(schema: JsonSchemaProps, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = []
  const at = `${path}.${mapKeys}`
  if (keys.length === 0) errors.push(required(at, 'must not be empty if x-kubernetes-list-type is map'))
  const items = itemsOf(schema)
  const itemsPath = `${path}.items`
  if (schema.items === undefined) {
    errors.push(required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'))
  } else if (!items) {
    errors.push(
      invalid(itemsPath, schema.items, 'must only have a single schema if x-kubernetes-list-type is map'),
    )
  } else if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(invalid(`${itemsPath}.type`, items.type ?? '', why))
  } else {
    const { properties = {} } = items
    for (const [index, key] of keys.entries()) {
      const type = properties[key]?.type
      if (!Object.hasOwn(properties, key)) {
        errors.push(invalid(at, keys, 'entries must all be names of item properties'))
      } else if (type === 'array' || type === 'object') {
        const why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
        errors.push(invalid(`${itemsPath}.properties[${key}].type`, items.type, why))
      }
      if (keys.indexOf(key) < index) errors.push(invalid(at, keys, 'must not contain duplicate entries'))
    }
  }
  return errors
}

/** Items of a set or map must not be nullable. The key fields of a map must be required or have a default. */
export function validateKeys(schema: JsonSchemaProps, path: string): FieldError[] {
  const said = schema[listType]
  const items = itemsOf(schema)
  if (!items || (said !== 'set' && said !== 'map')) return []
  const errors: FieldError[] = []
  const at = `${path}.items`
  if (items.nullable) {
    errors.push(fieldForbidden(`${at}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${said}`))
  }
  if (said === 'set') return errors
  const { properties = {}, required: needed = [] } = items
  for (const key of schema[mapKeys] ?? []) {
    const field = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!field) continue
    const here = `${at}.properties[${key}]`
    if (!needed.includes(key) && field.default === undefined) {
      const why =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      errors.push(required(`${here}.default`, why))
    }
    if (field.nullable) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
      errors.push(fieldForbidden(`${here}.nullable`, why))
    }
  }
  return errors
}
