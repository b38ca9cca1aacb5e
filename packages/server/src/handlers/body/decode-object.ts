import {
  type ApiError,
  type ApiObject,
  badRequest,
  dropEmpty,
  type FieldError,
  goDecodeProblem,
  goValueText,
  invalidObject,
  isJsonObject,
  objectMetaSchema,
  plainNumbers,
  prune,
} from '@strata/api'
import { countKeys, countKeysIn, findDuplicateKeys } from '../../codec/index.ts'
import type { ServedApi, ServedResource } from '../../registry/index.ts'
import type { RequestContext } from '../request-context.ts'
import type { FieldValidation } from '../verbs/parse-write-options.ts'
import { checkCustomKind, decodeCustom } from './decode-custom.ts'
import { parseBody } from './parse-body.ts'
import { StrictProblems } from './strict-problems.ts'

/** Reads the object in the body, in the version of the path, with defaults. */
export async function readObject(
  context: RequestContext,
  api: ServedApi,
  resource: ServedResource,
  fieldValidation: FieldValidation,
): Promise<ApiObject> {
  const { definition, apiVersion } = resource
  const {
    object,
    format,
    json,
    twice = [],
  } = await parseBody(context, { apiVersion, kind: definition.kind }, (parsed) =>
    outOfRangeProblem(parsed, api, resource),
  )
  context.audit?.noteObject(object)
  // Counted before pruning and defaulting: one default would hide one duplicate key.
  const isDoubtful =
    fieldValidation !== 'Ignore' && json !== undefined && countKeysIn(json) !== countKeys(object)
  const duplicates = isDoubtful ? findDuplicateKeys(json) : []
  if (definition.isCustom) checkCustomKind(object, resource)
  else checkKind(object, api, resource)
  const problems = new StrictProblems()
  if (twice.length > 0) problems.add(keysTwiceText(twice))
  const decoded = decodeObject(
    object,
    resource,
    // Fields that protobuf has and the kind does not are ignored: upstream's decoder cannot see them either.
    (problem) => format !== 'protobuf' && problems.add(problem),
    (why) => cannotHandle(resource, why),
  )
  for (const path of duplicates) problems.add(`duplicate field ${JSON.stringify(path)}`)
  const { found } = problems
  if (found.length > 0) {
    if (fieldValidation === 'Strict')
      throw cannotHandle(resource, `strict decoding error: ${found.join(', ')}`)
    if (fieldValidation === 'Warn') context.warnings.push(...found)
  }
  // Validation may take as long again.
  await context.largeBodies?.turn(json?.length ?? 0)
  return decoded
}

/** The first field whose type is too small for its number, reported like any other mismatch. */
function outOfRangeProblem(
  object: Record<string, unknown>,
  api: ServedApi,
  resource: ServedResource,
): ApiError | undefined {
  const { definition, codec, apiVersion } = resource
  // Upstream decodes a custom resource without checking its fields.
  if (definition.isCustom) return undefined
  checkKind(object, api, resource)
  const schema = codec.schemaOf(apiVersion)
  if (!definition.typed) return misfitsError(object, resource, plainNumbers(object, schema).misfits)
  const misfit = goDecodeProblem(object, schema, definition.kind)
  return misfit === undefined ? undefined : cannotHandle(resource, misfit)
}

/** In the words of upstream's YAML parser, at most a hundred. */
function keysTwiceText(twice: readonly string[]): string {
  const lines = twice.slice(0, 100).map((each) => `  ${each}`)
  return `yaml: unmarshal errors:\n${lines.join('\n')}`
}

/**
 * Decodes a parsed object: drops unknown fields (each is reported), checks it against its schema, and adds defaults.
 * `refuse` makes the error of a mismatch; `problemOf` finds it in the words of upstream's decoder.
 */
export function decodeObject(
  object: Record<string, unknown>,
  resource: ServedResource,
  onProblem: (problem: string) => void,
  refuse: (why: string) => ApiError,
  problemOf: typeof goDecodeProblem = goDecodeProblem,
): ApiObject {
  if (resource.definition.isCustom) return decodeCustom(object, resource, onProblem, refuse)
  const { definition, codec, apiVersion } = resource
  const schema = codec.schemaOf(apiVersion)
  if (definition.typed) {
    const misfit = problemOf(object, schema, definition.kind)
    if (misfit !== undefined) throw refuse(misfit)
  }
  const pruned = prune(object, schema, (path) =>
    onProblem(`unknown field ${JSON.stringify(path)}`),
  ) as Record<string, unknown>
  const kept = (
    definition.typed ? dropEmpty(pruned, schema) : withPlainNumbers(pruned, resource)
  ) as ApiObject
  const { metadata } = kept as { metadata?: unknown }
  if (metadata === undefined || metadata === null) kept.metadata = {}
  else if (typeof metadata !== 'object' || Array.isArray(metadata))
    throw refuse('metadata: must be an object')
  // The rest is kept as it was sent, but metadata is the same Go struct for every kind.
  else if (!definition.typed) kept.metadata = dropEmpty(metadata, objectMetaSchema) as ApiObject['metadata']
  kept.apiVersion = apiVersion
  kept.kind = definition.kind
  codec.applyDefaults(kept, apiVersion)
  // As for a custom resource: all problems at once, field by field.
  const errors = definition.typed ? [] : codec.validate(kept, apiVersion)
  if (errors.length > 0) throw invalidObject(definition, kept.metadata.name ?? '', errors)
  return kept
}

/** Runs before any code of the kind sees the object; defaults come next. */
function withPlainNumbers(object: Record<string, unknown>, resource: ServedResource): unknown {
  const { value, misfits } = plainNumbers(object, resource.codec.schemaOf(resource.apiVersion))
  const error = misfitsError(object, resource, misfits)
  if (error) throw error
  return value
}

function misfitsError(
  { metadata }: Record<string, unknown>,
  { definition }: ServedResource,
  misfits: readonly FieldError[],
): ApiError | undefined {
  const name = isJsonObject(metadata) ? goValueText(metadata['name'] ?? '') : ''
  return misfits.length === 0 ? undefined : invalidObject(definition, name, misfits)
}

export function cannotHandle({ definition, versionName }: ServedResource, why: string): ApiError {
  const { kind } = definition
  return badRequest(`${kind} in version "${versionName}" cannot be handled as a ${kind}: ${why}`)
}

/** A missing kind or apiVersion is taken from the path. One that is there must match the path. */
function checkKind(object: Record<string, unknown>, api: ServedApi, resource: ServedResource): void {
  const { definition, apiVersion } = resource
  const foundVersion = object['apiVersion'] || apiVersion
  const foundKind = object['kind'] || definition.kind
  if (foundVersion === apiVersion && foundKind === definition.kind) return
  const [group = '', name = ''] = goValueText(foundVersion).includes('/')
    ? goValueText(foundVersion).split('/')
    : ['', goValueText(foundVersion)]
  const known = api.resources.some(
    (each) => each.apiVersion === foundVersion && each.definition.kind === foundKind,
  )
  const why = known
    ? `converting (${goName(group, name, goValueText(foundKind))}) to (${goName(definition.group, '', definition.kind)}): unknown conversion`
    : `no kind "${goValueText(foundKind)}" is registered for version "${goValueText(foundVersion)}" in scheme "pkg/api/legacyscheme/scheme.go:30"`
  throw badRequest(
    `${goValueText(foundKind)} in version "${name}" cannot be handled as a ${definition.kind}: ${why}`,
  )
}

/** Go's name of a type: `v1.Secret`, and for the hub `core.ConfigMap`. */
function goName(group: string, versionName: string, kind: string): string {
  const first = group === '' ? 'core' : (group.split('.')[0] ?? group)
  return versionName === '' ? `${first}.${kind}` : `${versionName}.${kind}`
}
