import {
  type ApiError,
  type ApiObject,
  appliedProblems,
  badRequest,
  dropNulls,
  fieldOf,
  isJsonObject,
  type JsonObject,
} from '@strata/api'
import { apply, applyScale, type ServedResource, scaleResource } from '../../registry/index.ts'
import { readBody } from '../body/body.ts'
import { cannotHandle, decodeObject } from '../body/decode-object.ts'
import { goRestoreProblem } from '../body/go-restore-problem.ts'
import { parseApplied } from '../body/parse-applied.ts'
import { unexpected } from '../query.ts'
import { writeOptions } from './parse-write-options.ts'
import type { PatchMethod } from './patch-method.ts'

/** Server-side apply: the body holds exactly the fields that the client wants to own. */
export const applyPatch: PatchMethod = async ({ registry, context, resource, target, subresource }) => {
  const options = writeOptions(context, 'PatchOptions', 'apply')
  const { object, twice } = await parseApplied(await readBody(context), context)
  context.audit?.noteObject(object)
  const shown = subresource === 'scale' ? scaleResource : resource
  checkType(object, shown)
  checkPlaces(object, shown)
  const decode = (merged: JsonObject): ApiObject => {
    const decoded = decodeMerged(merged, object, shown)
    if (twice.length > 0 && options.fieldValidation === 'Strict') throw ambiguous(twice)
    return decoded
  }
  const { signal } = context
  const written =
    subresource === 'scale'
      ? await applyScale(registry, resource, target, object, decode, options, signal)
      : await apply(registry, resource, target, object, decode, { ...options, subresource }, signal)
  if (options.fieldValidation === 'Warn') context.warnings.push(...twice)
  return written
}

const ambiguous = (twice: readonly string[]): ApiError =>
  badRequest(
    `error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n${twice.map((each) => `  ${each}`).join('\n')}`,
  )

function checkType(object: JsonObject, { apiVersion, definition }: ServedResource): void {
  const { apiVersion: foundVersion = '', kind = '' } = object
  if (foundVersion === apiVersion && kind === definition.kind) return
  throw badRequest(`invalid object type: ${typeText(String(foundVersion), String(kind))}`)
}

/** A kind in upstream's notation: `apps/v1, Kind=Deployment`. */
function typeText(apiVersion: string, kind: string): string {
  const parts = apiVersion.split('/')
  if (parts.length > 2) return '/, Kind='
  return `${parts.length === 2 ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

function checkPlaces(object: JsonObject, resource: ServedResource): void {
  const metadata = fieldOf(object, 'metadata')
  if (isJsonObject(metadata) && Array.isArray(metadata['managedFields'])) {
    throw badRequest('metadata.managedFields must be nil')
  }
  const problems = appliedProblems(object, resource.codec.schemaOf(resource.apiVersion))
  if (problems !== undefined) {
    throw unexpected(`failed to create typed patch object (${shownObject(object)}): ${problems}`)
  }
}

/** The applied object as messages show it. */
function shownObject(object: JsonObject): string {
  const metadata = fieldOf(object, 'metadata')
  const text = (field: string): string => String((isJsonObject(metadata) && metadata[field]) || '')
  return `${text('namespace')}/${text('name')}; ${typeText(String(object['apiVersion']), String(object['kind']))}`
}

function decodeMerged(merged: JsonObject, applied: JsonObject, resource: ServedResource): ApiObject {
  const { definition, codec, apiVersion } = resource
  if (!definition.typed) {
    // An object that lost all its fields is null by now, which is invalid unless the schema allows it.
    const object = dropNulls(merged, codec.schemaOf(apiVersion)) as JsonObject
    return decodeObject(
      object,
      resource,
      () => {},
      (why) => cannotHandle(resource, why),
    )
  }
  const refuse = (why: string): ApiError =>
    unexpected(`failed to convert new typed object (${shownObject(applied)}) to object: ${why}`)
  return decodeObject(merged, resource, () => {}, refuse, goRestoreProblem)
}
