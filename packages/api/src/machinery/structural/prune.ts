import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import type { SchemaNode } from './schema-node.ts'

/** Called with the path of each field that is taken away. */
export type OnUnknown = (path: string) => void

const isMetaField = (field: string): boolean =>
  field === 'apiVersion' || field === 'kind' || field === 'metadata'

/**
 * Takes away what the schema does not specify. `true` for additional fields specifies their values' types no further,
 * so that of objects among them nothing is left: upstream has no schema there.
 */
export function pruneValue(
  value: unknown,
  node: SchemaNode | undefined,
  path: string,
  onUnknown: OnUnknown | undefined,
): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    const items = node?.items
    const keepsAll = node?.schema['x-kubernetes-preserve-unknown-fields'] === true
    // Of a list in which everything is kept, the items are asked only for what they themselves do not keep.
    if (keepsAll && !items) return
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index]
      if (each === null || typeof each !== 'object') continue
      const at = onUnknown ? `${path}[${index}]` : path
      if (keepsAll && items) pruneKeeping(each, items, at, onUnknown)
      else pruneValue(each, items, at, onUnknown)
    }
    return
  }
  if (!isJsonObject(value)) return
  pruneFields(value, node, path, onUnknown, node?.schema['x-kubernetes-preserve-unknown-fields'] === true)
}

/** What is under a place where everything is kept: only what is specified there may say otherwise. */
function pruneKeeping(
  value: unknown,
  node: SchemaNode,
  path: string,
  onUnknown: OnUnknown | undefined,
): void {
  if (Array.isArray(value)) {
    const { items } = node
    if (!items) return
    for (const [index, each] of value.entries()) pruneKeeping(each, items, `${path}[${index}]`, onUnknown)
  } else if (isJsonObject(value)) pruneFields(value, node, path, onUnknown, true)
}

function pruneFields(
  value: JsonObject,
  node: SchemaNode | undefined,
  path: string,
  onUnknown: OnUnknown | undefined,
  keepsAll: boolean,
): void {
  const takesAny = node?.schema.additionalProperties !== undefined
  for (const field in value) {
    if (node?.embedded && isMetaField(field)) continue
    const child = node?.of(field)
    if (child || takesAny) {
      const each = value[field]
      if (each === null || typeof each !== 'object') continue
      pruneValue(each, child, onUnknown ? join(path, field) : path, onUnknown)
    } else if (!keepsAll) {
      onUnknown?.(join(path, field))
      delete value[field]
    }
  }
}

const join = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`)

/** Takes away null where it may not be and nothing takes its place, as Go's decoder leaves such fields alone. */
export function dropNulls(value: unknown, node: SchemaNode | undefined): void {
  if (node === undefined || value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    const { items } = node
    if (items) for (const each of value) dropNulls(each, items)
    return
  }
  if (!isJsonObject(value)) return
  for (const field in value) {
    const each = value[field]
    if (typeof each !== 'object') continue
    const child = node.of(field)
    if (!child) continue
    if (each === null) {
      const { nullable, default: value_ } = child.schema
      if (!nullable && (value_ === undefined || value_ === null)) delete value[field]
    } else dropNulls(each, child)
  }
}
