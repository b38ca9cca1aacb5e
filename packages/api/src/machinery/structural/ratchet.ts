import { isJsonObject, type JsonObject, jsonEqual } from '../patch/json-value.ts'
import { isRawNumber } from '../patch/raw-number.ts'
import type { Schema } from '../schema.ts'
import type { Findings } from './findings.ts'
import { goNumber } from './go-number.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * Which item of the old list matches an item of the new one: only a list with keys has matches. Without
 * keys, another item may have taken the same position.
 */
export function keyedItems(
  schema: Schema,
  old: readonly unknown[],
): ((item: unknown) => JsonObject | undefined) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0) return undefined
  const byKey = new Map<string, JsonObject>()
  for (const each of old) {
    const key = keyOf(each, keys)
    if (key !== undefined && !byKey.has(key)) byKey.set(key, each as JsonObject)
  }
  return (item) => {
    const key = keyOf(item, keys)
    return key === undefined ? undefined : byKey.get(key)
  }
}

function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined
  const parts: unknown[] = []
  for (const key of keys) {
    if (!Object.hasOwn(item, key)) return undefined
    const value = item[key]
    if (typeof value === 'string' || typeof value === 'boolean') parts.push(value)
    else if (typeof value === 'number' || isRawNumber(value)) parts.push([String(goNumber(value).value)])
    else return undefined
  }
  return JSON.stringify(parts)
}

/** Whether a value is what it was. Lists with keys may have changed their order. */
function isUnchanged(node: SchemaNode, value: unknown, old: unknown): boolean {
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || value.length !== old.length) return false
    const { items } = node
    const before = items && keyedItems(node.schema, old)
    if (!before || jsonEqual(value, old)) return jsonEqual(value, old)
    return value.every((each) => {
      const one = before(each)
      return one !== undefined && isUnchanged(items, each, one)
    })
  }
  if (!isJsonObject(value) || !isJsonObject(old)) return jsonEqual(value, old)
  const fields = Object.keys(value)
  if (fields.length !== Object.keys(old).length) return false
  return fields.every((field) => {
    if (!Object.hasOwn(old, field)) return false
    const child = node.of(field)
    return child ? isUnchanged(child, value[field], old[field]) : jsonEqual(value[field], old[field])
  })
}

/** Bounds the search: the response does not list more, and one request can contain millions. */
const enough = 10_000

/** The problems of a value; none if it equals its old value, which had them too. */
export function checkRatcheting(
  node: SchemaNode,
  value: unknown,
  name: string,
  findings: Findings,
  old: unknown,
): void {
  const before = findings.found.length
  if (before >= enough) return
  node.check(value, name, findings, old)
  if (old !== undefined && findings.found.length > before && isUnchanged(node, value, old)) {
    findings.found.length = before
  }
}
