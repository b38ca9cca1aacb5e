import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import type { SchemaNode } from './schema-node.ts'

/** Called with the path of each field that is taken away. */
export type OnUnknown = (path: string) => void

const isMetaField = (field: string): boolean =>
  field === 'apiVersion' || field === 'kind' || field === 'metadata'

/** Takes away what the schema does not specify. The object's own apiVersion, kind and metadata are always specified. */
export function pruneObject(object: JsonObject, node: SchemaNode, onUnknown?: OnUnknown): void {
  pruneFields(object, { node, isEmbedded: true, keepsAll: node.keepsAll }, '', onUnknown)
}

/**
 * The same for any value. Where additional fields are merely allowed (`true`) nothing is specified about what is in
 * them: of objects among them nothing is left.
 */
export function pruneValue(value: unknown, node?: SchemaNode, path = '', onUnknown?: OnUnknown): void {
  if (Array.isArray(value)) pruneItems(value, node, path, onUnknown, node?.keepsAll === true)
  else if (isJsonObject(value)) pruneFields(value, placeOf(node), path, onUnknown)
}

const placeOf = (node: SchemaNode | undefined): Place => ({
  node,
  isEmbedded: node?.isEmbedded === true,
  keepsAll: node?.keepsAll === true,
})

interface Place {
  readonly node: SchemaNode | undefined
  readonly isEmbedded: boolean
  readonly keepsAll: boolean
}

/** Items of a list in which everything is kept keep everything themselves, whatever they say. */
function pruneItems(
  value: readonly unknown[],
  node: SchemaNode | undefined,
  path: string,
  onUnknown: OnUnknown | undefined,
  keepsAll: boolean,
): void {
  const items = node?.items
  if (keepsAll && !items) return
  for (const [index, each] of value.entries()) {
    if (each === null || typeof each !== 'object') continue
    const at = onUnknown ? `${path}[${index}]` : path
    if (!keepsAll) pruneValue(each, items, at, onUnknown)
    else if (Array.isArray(each)) pruneItems(each, items, at, onUnknown, true)
    else if (isJsonObject(each)) pruneFields(each, { ...placeOf(items), keepsAll: true }, at, onUnknown)
  }
}

function pruneFields(value: JsonObject, place: Place, path: string, onUnknown: OnUnknown | undefined): void {
  const { node, isEmbedded, keepsAll } = place
  const takesAny = node?.schema.additionalProperties !== undefined
  for (const field in value) {
    if (isEmbedded && isMetaField(field)) continue
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
      const { nullable, default: given } = child.schema
      if (!nullable && (given === undefined || given === null)) delete value[field]
    } else dropNulls(each, child)
  }
}
