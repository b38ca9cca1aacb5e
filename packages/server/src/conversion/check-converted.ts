import {
  type ApiObject,
  cloneJson,
  goTypeName,
  isJsonObject,
  type JsonObject,
  jsonTypeName,
  labelValueRule,
  qualifiedName,
} from '@strata/api'
import { ConversionProblem } from './conversion-review.ts'

/** The position of the object, for messages: a single object has another text than one of several. */
export interface Place {
  readonly index: number
  readonly isList: boolean
}

/**
 * Returns the converted object if the webhook has done what it must: the same object in the other version. It may change only
 * labels and annotations of the metadata, so everything else is taken from the original.
 */
export function checkConverted(
  original: ApiObject,
  converted: unknown,
  desiredAPIVersion: string,
  place: Place,
): ApiObject {
  const { index, isList } = place
  const invalid = (why: string) =>
    new ConversionProblem(`invalid ${isList ? 'converted object' : 'object'} at index ${index}: ${why}`)
  const different = (why: string) => (isList ? invalid(why) : new ConversionProblem(`invalid object: ${why}`))
  const object = asObject(converted, invalid)
  const apiVersion = object['apiVersion'] ?? ''
  if (apiVersion !== desiredAPIVersion) {
    throw invalid(
      `invalid groupVersion (expected ${desiredAPIVersion}, received ${apiVersion === '' ? '/' : apiVersion})`,
    )
  }
  if (object['kind'] !== original.kind) {
    throw invalid(`invalid kind (expected ${original.kind}, received ${String(object['kind'])})`)
  }
  const { metadata } = object
  const named = isJsonObject(metadata) ? metadata : {}
  for (const [field, shown] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [original.metadata[field] ?? '', named[field] ?? '']
    if (before !== after) throw different(`must have the same ${shown}: ${before} != ${String(after)}`)
  }
  const restored = restoredMetadata(
    original,
    metadata,
    (why) => new ConversionProblem(`invalid metadata${isList ? ` in object at index ${index}` : ''}: ${why}`),
  )
  return { ...object, metadata: restored } as ApiObject
}

function asObject(value: unknown, invalid: (why: string) => Error): JsonObject {
  if (value === null || value === undefined) throw invalid('unexpected end of JSON input')
  if (!isJsonObject(value)) {
    throw invalid(
      `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    )
  }
  if (typeof value['kind'] !== 'string' || value['kind'] === '') {
    throw invalid(`Object 'Kind' is missing in '${JSON.stringify(value)}'`)
  }
  return value
}

function restoredMetadata(
  original: ApiObject,
  metadata: unknown,
  invalid: (why: string) => Error,
): ApiObject['metadata'] {
  if (metadata === undefined) throw invalid('missing metadata in converted object')
  if (!isJsonObject(metadata)) {
    throw invalid(`invalid metadata of type ${goTypeName(metadata)} in converted object`)
  }
  const restored = cloneJson(original.metadata)
  for (const field of ['labels', 'annotations'] as const) {
    const given = metadata[field] ?? undefined
    if (given === undefined) {
      delete restored[field]
      continue
    }
    if (!isJsonObject(given)) {
      throw invalid(`invalid metadata.${field} of type ${goTypeName(given)} in converted object`)
    }
    restored[field] = checkTexts(field, given, original.metadata[field] ?? {}, invalid)
  }
  return restored
}

/** Stored labels and annotations are not checked; those that the webhook adds or changes must be valid for clients. */
function checkTexts(
  field: 'labels' | 'annotations',
  given: JsonObject,
  before: Readonly<Record<string, string>>,
  invalid: (why: string) => Error,
): Record<string, string> {
  let isChanged = Object.keys(given).length !== Object.keys(before).length
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string') {
      const found = goTypeName(value)
      throw invalid(`metadata.${field}[${key}] must be a string, but is ${found} in converted object`)
    }
    if (before[key] !== value) isChanged = true
  }
  const texts = given as Record<string, string>
  const problems = isChanged ? textProblems(field, texts) : []
  if (problems.length > 0) {
    throw invalid(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`)
  }
  return texts
}

/** As upstream, for all annotations together. */
const maxAnnotationBytes = 256 * 1024

function textProblems(
  field: 'labels' | 'annotations',
  texts: Readonly<Record<string, string>>,
): readonly string[] {
  const problems: string[] = []
  // Upstream names the field so.
  const path = field === 'labels' ? 'metadata.labels' : 'metadata.annotation'
  const add = (value: string, why: string) =>
    problems.push(`${path}: Invalid value: ${JSON.stringify(value)}: ${why}`)
  let bytes = 0
  for (const [key, value] of Object.entries(texts)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
    if (field === 'labels') {
      for (const why of qualifiedName(key)) add(key, why)
      for (const why of labelValueRule(value)) add(value, why)
    } else for (const why of qualifiedName(key.toLowerCase())) add(key, why)
  }
  if (field === 'annotations' && bytes > maxAnnotationBytes) {
    problems.push(`${path}: Too long: may not be more than ${maxAnnotationBytes} bytes`)
  }
  return [...new Set(problems)]
}
