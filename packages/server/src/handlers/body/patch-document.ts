import {
  ApiError,
  type ApiObject,
  badRequest,
  goDecodeProblem,
  goValueText,
  invalid,
  invalidObject,
  isJsonObject,
  isTooDeep,
  type JsonObject,
  NumberOutOfRange,
  PatchError,
  parseLossless,
  parseSent,
  tooDeep,
} from '@strata/api'
import {
  countKeys,
  countKeysIn,
  describeUnparsed,
  findDuplicateKeys,
  MalformedJson,
  textOf,
} from '../../codec/index.ts'
import { patch, patchScale, type ServedResource, scaleResource } from '../../registry/index.ts'
import { unexpected } from '../query.ts'
import type { RequestContext } from '../request-context.ts'
import { type FieldValidation, writeOptions } from '../verbs/parse-write-options.ts'
import type { PatchMethod } from '../verbs/patch-method.ts'
import { readBody } from './body.ts'
import { decodeObject } from './decode-object.ts'
import { goRestoreProblem } from './go-restore-problem.ts'
import { StrictProblems } from './strict-problems.ts'

/** A patch that turns one document into another. */
export interface DocumentPatch {
  readonly apply: (document: JsonObject, patch: unknown, resource: ServedResource) => unknown
  /** The text before the decoder's error when the patch cannot be parsed. */
  readonly decoding?: string
  /** The text before the duplicate keys of a patch. */
  readonly duplicates?: string
  /** Upstream does not encode the patched object as JSON again: errors show the patch, and mismatches have other words. */
  readonly inPlace?: boolean
}

export function documentPatch(kind: DocumentPatch): PatchMethod {
  return async ({ registry, context, resource, target, subresource }) => {
    const options = writeOptions(context, 'PatchOptions', 'change')
    const bytes = await readBody(context)
    context.audit?.notePatch(bytes)
    const body = parsePatch(bytes, kind, options.fieldValidation)
    const shown = subresource === 'scale' ? scaleResource : resource
    const change = (document: JsonObject): ApiObject =>
      patched(context, shown, kind, document, body, options.fieldValidation)
    const { signal } = context
    if (subresource === 'scale') return patchScale(registry, resource, target, change, options, signal)
    return patch(registry, resource, target, change, { ...options, subresource }, signal)
  }
}

interface ParsedPatch {
  readonly value: unknown
  /** The problems for strict field validation. */
  readonly problems: readonly string[]
  /** Set if it holds a number beyond a float64: the error, unless the patched object names the field. */
  readonly outOfRange?: ApiError
}

function parsePatch(
  bytes: Uint8Array,
  { decoding = '', duplicates = '', inPlace = false }: DocumentPatch,
  fieldValidation: FieldValidation,
): ParsedPatch {
  const text = textOf(bytes)
  try {
    if (isTooDeep(text)) throw new MalformedJson(tooDeep)
    const value = parseSent(text)
    const suspicious = fieldValidation !== 'Ignore' && countKeysIn(text) !== countKeys(value)
    const paths = suspicious ? findDuplicateKeys(text) : []
    return { value, problems: paths.map((path) => `${duplicates}duplicate field ${JSON.stringify(path)}`) }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof MalformedJson)) throw error
    const refusal = badRequest(decoding + describeUnparsed(error, text))
    // Upstream decodes the patched object, not the patch, unless it patches in place.
    if (inPlace || !(error instanceof NumberOutOfRange)) throw refusal
    return { value: parseLossless(text), problems: [], outOfRange: refusal }
  }
}

/** Applies the patch, and decodes the result as if it had been sent whole. */
function patched(
  context: RequestContext,
  resource: ServedResource,
  { apply, inPlace = false }: DocumentPatch,
  document: JsonObject,
  body: ParsedPatch,
  fieldValidation: FieldValidation,
): ApiObject {
  let result: unknown
  try {
    result = apply(document, body.value, resource)
  } catch (error) {
    throw error instanceof PatchError ? patchProblem(error) : error
  }
  if (!isJsonObject(result)) throw rejected()
  const refuse = (why: string): ApiError => {
    const shown = inPlace ? goValueText(body.value) : JSON.stringify(result)
    return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown, why)])
  }
  const problems = new StrictProblems()
  for (const problem of body.problems) problems.add(problem)
  const problemOf = inPlace ? goRestoreProblem : goDecodeProblem
  const unknown: string[] = []
  const object = decodeObject(result, resource, (problem) => unknown.push(problem), refuse, problemOf)
  // No field of the object names the number: it would be stored, and no Go client could read it.
  if (body.outOfRange) throw body.outOfRange
  for (const problem of inPlace ? unknown.sort() : unknown) problems.add(problem)
  const { found } = problems
  if (found.length > 0) {
    if (fieldValidation === 'Strict') throw refuse(`strict decoding error: ${found.join(', ')}`)
    if (fieldValidation === 'Warn') {
      for (const problem of found) if (!context.warnings.includes(problem)) context.warnings.push(problem)
    }
  }
  return object
}

function patchProblem(error: PatchError): ApiError {
  switch (error.code) {
    case 'malformed':
      return badRequest(error.message)
    case 'too-many-operations':
      return new ApiError(413, 'RequestEntityTooLarge', error.message)
    case 'unexpected':
      return unexpected(error.message)
    default:
      return rejected()
  }
}

/** Upstream has one message for every patch that does not fit its object. */
function rejected(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
}
