import { duplicate, type FieldError, invalid } from '../field-error.ts'
import { compareTexts } from '../managed-fields/path-element.ts'
import { fieldOf, isJsonObject, type JsonObject, setField } from '../patch/json-value.ts'
import { isRawNumber } from '../patch/raw-number.ts'
import { goNumber } from './go-number.ts'
import type { SchemaNode } from './schema-node.ts'

/** Items that occur twice where the schema says that a list is a set, or a map by some of their fields. */
export function duplicateItems(node: SchemaNode, value: unknown, path: string, errors: FieldError[]): void {
  if (value === null || typeof value !== 'object' || !node.below.lists) return
  if (Array.isArray(value)) {
    const listType = node.schema['x-kubernetes-list-type']
    if (listType === 'set') {
      for (const index of repeated(value)) errors.push(duplicate(`${path}[${index}]`, value[index]))
    } else if (listType === 'map') duplicateKeys(node, value, path, errors)
    const { items } = node
    if (items?.below.lists) {
      for (const [index, each] of value.entries()) duplicateItems(items, each, `${path}[${index}]`, errors)
    }
    return
  }
  if (!isJsonObject(value)) return
  for (const field in value) {
    const named = node.field(field)
    if (named) duplicateItems(named, value[field], path === '' ? field : `${path}.${field}`, errors)
    else if (node.additional) duplicateItems(node.additional, value[field], `${path}[${field}]`, errors)
  }
}

function duplicateKeys(
  { schema }: SchemaNode,
  value: readonly unknown[],
  path: string,
  errors: FieldError[],
): void {
  const stranger = value.findIndex((each) => each !== null && !isJsonObject(each))
  if (stranger >= 0) {
    const at = `${path}[${stranger}]`
    errors.push(invalid(at, value[stranger], 'must be an object for an array of list-type map'))
    return
  }
  const names = schema['x-kubernetes-list-map-keys'] ?? []
  const keys = value.map((each) => keyOf(each as JsonObject | null, names))
  for (const index of repeated(keys)) errors.push(duplicate(`${path}[${index}]`, keys[index]))
}

function keyOf(item: JsonObject | null, names: readonly string[]): JsonObject {
  const key: JsonObject = {}
  for (const name of [...names].sort(compareTexts)) {
    const value = item === null ? undefined : fieldOf(item, name)
    if (value !== undefined) setField(key, name, value)
  }
  return key
}

/** The index of the second occurrence of each repeated value. */
function repeated(values: readonly unknown[]): number[] {
  if (values.length < 2) return []
  const times = new Map<string, number>()
  return [...values.keys()].filter((index) => {
    const text = identity(values[index])
    const count = (times.get(text) ?? 0) + 1
    times.set(text, count)
    return count === 2
  })
}

/** The same text for the same value. Numbers are the same if their value and Go's type for them are. */
function identity(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(identity).join()}]`
  if (isJsonObject(value)) {
    const fields = Object.keys(value).sort(compareTexts)
    return `{${fields.map((field) => `${JSON.stringify(field)}:${identity(value[field])}`).join()}}`
  }
  if (typeof value !== 'number' && !isRawNumber(value)) return JSON.stringify(value) ?? 'null'
  const number = goNumber(value)
  return number.kind === 'integer' ? String(number.value) : `${number.value} as a float`
}
