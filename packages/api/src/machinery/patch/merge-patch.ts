import { cloneJson, fieldOf, isJsonObject, type JsonObject, jsonTypeName, setField } from './json-value.ts'
import { PatchError } from './patch-error.ts'

/**
 * RFC 7386, for documents that are objects. Neither argument is changed, and the result shares nothing with
 * either: what follows a patch (defaults, the strategy's hooks) works in place, and the document is likely
 * to be one that others are reading.
 */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  // A patch that is no object would replace the whole document. Upstream refuses it in its decoder's words.
  if (patch === null) throw new PatchError('malformed', 'Invalid JSON Patch')
  if (!isJsonObject(patch)) {
    const found = jsonTypeName(patch)
    throw new PatchError(
      'malformed',
      `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    )
  }
  return mergeObjects(document, patch)
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const field of Object.keys(document)) {
    const change = fieldOf(patch, field)
    if (change === undefined) setField(result, field, cloneJson(document[field]))
    else if (change !== null) setField(result, field, mergeValues(document[field], change))
  }
  for (const field of Object.keys(patch)) {
    const change = patch[field]
    if (change !== null && change !== undefined && !Object.hasOwn(document, field)) {
      setField(result, field, withoutNulls(change))
    }
  }
  return result
}

function mergeValues(value: unknown, change: unknown): unknown {
  return isJsonObject(value) && isJsonObject(change) ? mergeObjects(value, change) : withoutNulls(change)
}

/**
 * Nothing is there to delete from, so a null only says that the field is absent. The RFC leaves objects
 * inside of arrays alone. Upstream does not, and a client that relies on it would otherwise be refused for a
 * null that the schema does not allow. A null that is itself an element stays, in both.
 */
function withoutNulls(change: unknown): unknown {
  if (Array.isArray(change)) return change.map(withoutNulls)
  return isJsonObject(change) ? mergeObjects({}, change) : change
}
