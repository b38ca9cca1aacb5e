import { objectMetaSchema } from '../../meta/object-meta-schema.ts'
import { dropEmpty } from '../drop-empty.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { goDecodeProblem } from '../go-decode-problem.ts'
import { isJsonObject, type JsonObject, setField } from '../patch/json-value.ts'
import { prune } from '../schema.ts'
import type { OnUnknown } from './prune.ts'
import type { SchemaNode } from './schema-node.ts'

/** Why metadata cannot be read as the metadata of an object, in the words of upstream's decoder; or undefined. */
export function metadataProblem(metadata: unknown): string | undefined {
  if (metadata === null || metadata === undefined || isJsonObject(metadata)) {
    return goDecodeProblem(metadata, objectMetaSchema, 'ObjectMeta')
  }
  const found = Array.isArray(metadata) ? 'array' : typeof metadata === 'boolean' ? 'bool' : typeof metadata
  return `json: cannot unmarshal ${found === 'object' ? 'number' : found} into Go value of type v1.ObjectMeta`
}

type Visit = (object: JsonObject, path: string) => FieldError | undefined

/** Comes by every embedded resource, and stops at the first that something is wrong with. */
function visitEmbedded(node: SchemaNode, value: unknown, path: string, visit: Visit): FieldError | undefined {
  if (value === null || typeof value !== 'object' || !node.below.embedded) return undefined
  if (Array.isArray(value)) {
    const { items } = node
    if (!items) return undefined
    for (const [index, each] of value.entries()) {
      const problem = visitEmbedded(items, each, `${path}[${index}]`, visit)
      if (problem) return problem
    }
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  const problem = node.isEmbedded ? visit(value, path) : undefined
  if (problem) return problem
  for (const field in value) {
    const named = node.field(field)
    const below = named ?? node.additional
    if (!below) continue
    const at = named ? join(path, field) : `${path}[${field}]`
    const deeper = visitEmbedded(below, value[field], at, visit)
    if (deeper) return deeper
  }
  return undefined
}

const join = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`)

/** Leaves in the metadata of embedded resources only what metadata has. What cannot be read at all stays. */
export function pruneEmbeddedMetadata(node: SchemaNode, value: unknown, onUnknown?: OnUnknown): void {
  visitEmbedded(node, value, '', (object, path) => {
    const { metadata } = object
    if (isJsonObject(metadata) && metadataProblem(metadata) === undefined) {
      setField(object, 'metadata', pruneMetadata(metadata, join(path, 'metadata'), onUnknown))
    }
    return undefined
  })
}

/** Metadata as upstream's decoder writes it again: without unknown fields, each of which is reported. */
export function pruneMetadata(metadata: JsonObject, path = 'metadata', onUnknown?: OnUnknown): JsonObject {
  const known = prune(metadata, objectMetaSchema, (field) => onUnknown?.(field), path)
  return dropEmpty(known, objectMetaSchema) as JsonObject
}

/** The first embedded resource whose apiVersion, kind or metadata is not even of the right type. */
export function embeddedMisfit(node: SchemaNode, value: unknown, base = ''): FieldError | undefined {
  return visitEmbedded(node, value, base, (object, path) => {
    for (const field of ['apiVersion', 'kind'] as const) {
      if (Object.hasOwn(object, field) && typeof object[field] !== 'string') {
        return invalid(join(path, field), object[field], 'must be a string')
      }
    }
    const { metadata } = object
    const problem = metadataProblem(metadata)
    return problem === undefined ? undefined : invalid(join(path, 'metadata'), metadata, problem)
  })
}

/** Takes away what `embeddedMisfit` complains about: an object that is stored must stay readable. */
export function dropEmbeddedMisfits(node: SchemaNode, value: unknown): void {
  visitEmbedded(node, value, '', (object) => {
    for (const field of ['apiVersion', 'kind'] as const) {
      if (Object.hasOwn(object, field) && typeof object[field] !== 'string') delete object[field]
    }
    const { metadata } = object
    if (!isJsonObject(metadata) || metadataProblem(metadata) === undefined) return undefined
    const readable = Object.entries(metadata).filter(
      ([field, each]) => metadataProblem({ [field]: each }) === undefined,
    )
    setField(object, 'metadata', pruneMetadata(Object.fromEntries(readable)))
    return undefined
  })
}
