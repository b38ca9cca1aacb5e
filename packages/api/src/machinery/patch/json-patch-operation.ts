import { isJsonObject, type JsonObject, jsonTypeName } from './json-value.ts'
import { PatchError } from './patch-error.ts'

export const maxJsonPatchOperations = 10_000
/** How much all copies of one patch may add. */
export const maxJsonPatchCopyBytes = 3 * 1024 * 1024

/** One operation as sent. What is missing matters only when its turn comes. */
export interface JsonPatchOperation {
  readonly op?: string
  readonly path?: string
  readonly from?: string
  readonly value?: unknown
}

/** Refuses what is not a list of operations, in the words that upstream's decoder has for it. */
export function readJsonPatch(patch: unknown): readonly JsonPatchOperation[] {
  if (patch === null) return []
  if (!Array.isArray(patch)) throw cannotDecode(patch, 'value of type []handlers.jsonPatchOp')
  if (patch.length > maxJsonPatchOperations) {
    throw new PatchError(
      'too-many-operations',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${patch.length}`,
    )
  }
  return patch.map(readOperation)
}

function readOperation(operation: unknown): JsonPatchOperation {
  if (operation === null) return {}
  if (!isJsonObject(operation)) throw cannotDecode(operation, 'value of type handlers.jsonPatchOp')
  return {
    ...textField(operation, 'op'),
    ...textField(operation, 'path'),
    ...textField(operation, 'from'),
    value: Object.hasOwn(operation, 'value') ? operation['value'] : undefined,
  }
}

function textField<Name extends string>(operation: JsonObject, name: Name): { [name in Name]?: string } {
  const value = Object.hasOwn(operation, name) ? operation[name] : null
  if (value === null || value === undefined) return {}
  if (typeof value !== 'string') throw cannotDecode(value, `struct field jsonPatchOp.${name} of type string`)
  return { [name]: value } as { [name in Name]?: string }
}

function cannotDecode(found: unknown, target: string): PatchError {
  return new PatchError(
    'malformed',
    `error decoding patch: json: cannot unmarshal ${jsonTypeName(found)} into Go ${target}`,
  )
}
