import type { Schema } from '../schema.ts'
import { cloneJson, fieldOf, isJsonObject, type JsonObject, jsonTypeName, setField } from './json-value.ts'
import { PatchError } from './patch-error.ts'
import { malformedDirective, unknownDirective, wrongArgument } from './strategic-error.ts'
import { mergeLists, withoutElements } from './strategic-list.ts'
import { checkElementOrder, identifyBy, inOrder, orderListOf } from './strategic-order.ts'
import { type StrategicPlace, strategicField } from './strategic-schema.ts'

const orderPrefix = '$setElementOrder'
const deletionPrefix = '$deleteFromPrimitiveList'

/**
 * Upstream's own kind of patch: like a merge patch, but lists merge too where the schema has a strategy for them, and
 * directives say what plain JSON cannot. Neither argument is changed. `kind` is named in messages.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: unknown,
  schema: Schema,
  kind: string,
): JsonObject {
  if (patch === null) return cloneJson(document)
  if (!isJsonObject(patch)) {
    const found = jsonTypeName(patch)
    throw new PatchError(
      'malformed',
      `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    )
  }
  return mergeMaps(cloneJson(document), cloneJson(patch), { schema, struct: kind })
}

/** Changes `original`, which is a copy already, as is `patch`. */
function mergeMaps(original: JsonObject, patch: JsonObject, place: StrategicPlace): JsonObject {
  if (Object.hasOwn(patch, '$patch')) return followDirective(patch)
  retainKeys(original, patch)
  const done = new Set(['$retainKeys'])
  for (const field of Object.keys(patch)) {
    if (!field.startsWith(orderPrefix)) continue
    done.add(field).add(mergeInOrder(original, patch, field, place))
  }
  for (const field of Object.keys(patch)) {
    if (done.has(field)) continue
    if (field.startsWith(deletionPrefix)) deleteElements(original, field, patch[field])
    else mergeField(original, field, patch[field], place)
  }
  return original
}

function followDirective(patch: JsonObject): JsonObject {
  const { $patch, ...rest } = patch
  if ($patch === 'replace') return rest
  if ($patch === 'delete') return {}
  throw unknownDirective($patch, patch)
}

/** `$retainKeys` lists all fields that stay; a patch that sets others contradicts itself. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  const directive = fieldOf(patch, '$retainKeys')
  if (directive === undefined) return
  if (!Array.isArray(directive)) throw malformedDirective('retainKeys')
  const retained = new Set<unknown>(directive).add('$retainKeys')
  for (const [field, value] of Object.entries(patch)) {
    const says = value !== null && !field.startsWith(deletionPrefix) && !field.startsWith(orderPrefix)
    if (says && !retained.has(field)) throw malformedDirective('retainKeys')
  }
  for (const field of Object.keys(original)) if (!retained.has(field)) delete original[field]
}

/** `$setElementOrder/x`: the list `x` of the patch is merged, and the whole put in order. Says which field that was. */
function mergeInOrder(
  original: JsonObject,
  patch: JsonObject,
  directive: string,
  place: StrategicPlace,
): string {
  const order = orderListOf(patch[directive])
  const field = fieldAfter(directive, orderPrefix, 'setElementOrder list')
  const before = listIn(original, field)
  const sent = listIn(patch, field)
  const found = strategicField(place, field)
  const identify = identifyBy(found.mergeKey)
  checkElementOrder(sent ?? [], order, identify, (item) => hasDirective(item))
  if (before === undefined && sent === undefined) return field
  const merged =
    before && sent ? mergeLists(before, sent, found, mergeMaps) : (before ?? withoutDirectives(sent ?? []))
  setField(original, field, inOrder(merged as readonly unknown[], order, before ?? [], identify))
  return field
}

function listIn(object: JsonObject, field: string): readonly unknown[] | undefined {
  const value = fieldOf(object, field)
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw wrongArgument('list', value)
  return value
}

function fieldAfter(
  directive: string,
  prefix: string,
  what: 'primitive list' | 'setElementOrder list',
): string {
  if (directive[prefix.length] !== '/') throw malformedDirective(what)
  return directive.slice(prefix.length + 1)
}

function deleteElements(original: JsonObject, directive: string, gone: unknown): void {
  const field = fieldAfter(directive, deletionPrefix, 'primitive list')
  const before = fieldOf(original, field)
  if (gone === null) delete original[field]
  else if (Array.isArray(before) && Array.isArray(gone))
    setField(original, field, withoutElements(before, gone))
}

function mergeField(original: JsonObject, field: string, change: unknown, place: StrategicPlace): void {
  const before = fieldOf(original, field)
  if (change === null) delete original[field]
  else if (isJsonObject(before) && isJsonObject(change)) {
    const { place: below, strategy } = strategicField(place, field)
    setField(original, field, strategy === 'replace' ? change : mergeMaps(before, change, below))
  } else if (Array.isArray(before) && Array.isArray(change)) {
    setField(original, field, mergeLists(before, change, strategicField(place, field), mergeMaps))
  } else if (hasDirective(change)) delete original[field]
  else setField(original, field, withoutDirectives(withoutNulls(change)))
}

const hasDirective = (value: unknown): boolean => isJsonObject(value) && Object.hasOwn(value, '$patch')

/** Drops directives from a new value: there is no old value that they could refer to. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !hasDirective(each)).map(withoutDirectives)
  if (!isJsonObject(value)) return value
  const kept: JsonObject = {}
  for (const field of Object.keys(value)) {
    if (!hasDirective(value[field])) setField(kept, field, withoutDirectives(value[field]))
  }
  return kept
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const kept: JsonObject = {}
  for (const field of Object.keys(value)) {
    if (value[field] !== null) setField(kept, field, withoutNulls(value[field]))
  }
  return kept
}
