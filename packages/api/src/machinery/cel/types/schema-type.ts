import { limitOf } from '../../patch/raw-number.ts'
import type { Schema } from '../../schema.ts'
import { isEmbedded, valuesSchema, withMetadata } from '../rules/rule-schema.ts'
import { escapeFieldName } from '../syntax/field-name.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from './cel-type.ts'

/** The type of what a schema describes, with what is known of its size. */
export interface SchemaType {
  readonly type: CelType
  /** How many elements, entries or characters there can be at most. */
  readonly maxElements: number
  /** How many bytes it takes at least in JSON. */
  readonly minSize: number
  readonly fields?: ReadonlyMap<string, SchemaType>
  readonly key?: SchemaType
  readonly element?: SchemaType
}

/** A request that is larger is not even read. */
const maxRequestSize = 3 * 1024 * 1024
const maxTextLength = maxRequestSize - 2

const simple = (type: CelType, minSize: number, maxElements = 0): SchemaType => ({
  type,
  minSize,
  maxElements,
})
const KEY = simple(STRING, 2)

/**
 * Undefined for what rules cannot see: a schema without a type whose fields are kept as they are. `name` tells the types
 * of objects apart; no expression can write it.
 */
export function schemaType(schema: Schema, isResource: boolean, name = 'object'): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string']) {
    return simple(DYN, 1, schema.maxLength === undefined ? maxTextLength : maxLengthOf(schema))
  }
  const resolved = isResource ? withMetadata(schema) : schema
  switch (resolved.type) {
    case 'array':
      return listType(resolved, name)
    case 'object':
      return valuesSchema(resolved) ? mapType(resolved, name) : objectType(resolved, name)
    case 'string':
      return textType(resolved)
    case 'boolean':
      return simple(BOOL, 4)
    case 'number':
      return simple(DOUBLE, 1)
    case 'integer':
      return simple(INT, 1)
    default:
      return undefined
  }
}

function listType(schema: Schema, name: string): SchemaType | undefined {
  const element = schema.items && schemaType(schema.items, isEmbedded(schema.items), `${name}.@idx`)
  if (!element) return undefined
  const maxElements = limitOf(schema.maxItems) ?? Math.floor((maxRequestSize - 2) / (element.minSize + 1))
  return { type: listOf(element.type), maxElements: Math.max(0, maxElements), minSize: 2, element }
}

function mapType(schema: Schema, name: string): SchemaType | undefined {
  const values = valuesSchema(schema)
  const element = values && schemaType(values, isEmbedded(values), `${name}.@elem`)
  if (!element) return undefined
  const maxElements =
    limitOf(schema.maxProperties) ?? Math.floor((maxRequestSize - 2) / (element.minSize + 6))
  return {
    type: mapOf(STRING, element.type),
    maxElements: Math.max(0, maxElements),
    minSize: 2,
    key: KEY,
    element,
  }
}

function objectType(schema: Schema, name: string): SchemaType {
  const fields = new Map<string, SchemaType>()
  let minSize = 2
  for (const [property, child] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeFieldName(property)
    const type = schemaType(child, isEmbedded(child), `${name}.${escaped ?? property}`)
    if (!type) continue
    if (escaped !== undefined) fields.set(escaped, type)
    if (schema.required?.includes(property) && child.default === undefined) {
      minSize += property.length + type.minSize + 4
    }
  }
  return { type: struct(name), maxElements: 0, minSize, fields }
}

function textType(schema: Schema): SchemaType {
  const maxLength = limitOf(schema.maxLength)
  switch (schema.format) {
    case 'byte':
      return simple(BYTES, 2, maxLength === undefined ? maxTextLength : Math.max(0, maxLength))
    case 'duration':
      return simple(DURATION, 3, 32)
    case 'date':
      return simple(TIMESTAMP, 12, 12)
    case 'date-time':
      return simple(TIMESTAMP, 21, 32)
    default:
  }
  if (maxLength !== undefined) return simple(STRING, 2, maxLengthOf(schema))
  if (!schema.enum?.length) return simple(STRING, 2, maxTextLength)
  const lengths = schema.enum.map((each) =>
    typeof each === 'string' ? new TextEncoder().encode(each).length : 0,
  )
  return simple(STRING, 2, Math.max(...lengths))
}

/** A character can be up to four bytes. */
const maxLengthOf = ({ maxLength }: Schema): number => Math.max(0, limitOf(maxLength) ?? 0) * 4

/** How often at most something of that size can be in one request. */
export const maxCardinality = ({ minSize }: SchemaType): number => Math.floor(maxRequestSize / (minSize + 1))

/** The fields of every type of object within a type, by the name of the type. */
export function structsOf(
  root: SchemaType,
  found = new Map<string, ReadonlyMap<string, CelType>>(),
): ReadonlyMap<string, ReadonlyMap<string, CelType>> {
  if (root.fields) {
    const fields = new Map<string, CelType>()
    for (const [name, field] of root.fields) {
      fields.set(name, field.type)
      structsOf(field, found)
    }
    found.set(root.type.name, fields)
  }
  if (root.element) structsOf(root.element, found)
  return found
}
