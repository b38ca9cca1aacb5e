import {
  ApiError,
  type ApiObject,
  applyJsonPatch,
  applyMergePatch,
  badRequest,
  describeMalformedJson,
  invalid,
  invalidObject,
  isJsonObject,
  type JsonObject,
  PatchError,
} from '@strata/api'
import { MalformedJson, parseLossless, textOf } from '../codec/index.ts'
import { patch, type Registry, type ServedResource } from '../registry/index.ts'
import { mediaTypeOf, readBody } from './body.ts'
import { decodeObject } from './decode-object.ts'
import type { RequestContext, ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'
import { type FieldValidation, writeOptions } from './write-options.ts'

const patches: Readonly<Record<string, (document: JsonObject, patch: unknown) => unknown>> = {
  'application/merge-patch+json': applyMergePatch,
  'application/json-patch+json': applyJsonPatch,
}

export function patchHandler(registry: Registry, subresource?: 'status'): ResourceHandler {
  return async (context, resource, target) => {
    const apply = patches[mediaTypeOf(context)]
    if (!apply) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
    const options = writeOptions(context, 'PatchOptions')
    const body = parsePatch(await readBody(context))
    const { value, revision } = await patch(
      registry,
      resource,
      target,
      (document) => patched(context, resource, apply, document, body, options.fieldValidation),
      { ...options, ...(subresource ? { subresource } : {}) },
      context.signal,
    )
    return respondBytes(200, resource.codec.serve(value, revision, resource.apiVersion))
  }
}

function parsePatch(bytes: Uint8Array): unknown {
  const text = textOf(bytes)
  try {
    return parseLossless(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof MalformedJson) {
      throw badRequest(`error decoding patch: ${describeMalformedJson(text)}`)
    }
    throw error
  }
}

/** The object as the patch makes it, decoded as if it had been sent whole. */
function patched(
  context: RequestContext,
  resource: ServedResource,
  apply: (document: JsonObject, patch: unknown) => unknown,
  document: JsonObject,
  body: unknown,
  fieldValidation: FieldValidation,
): ApiObject {
  let result: unknown
  try {
    result = apply(document, body)
  } catch (error) {
    throw error instanceof PatchError ? patchProblem(error) : error
  }
  if (!isJsonObject(result)) throw rejected()
  const refuse = (why: string): ApiError =>
    invalidObject({ group: '', kind: '' }, '', [invalid('patch', JSON.stringify(result), why)])
  const problems: string[] = []
  const object = decodeObject(result, resource, (problem) => problems.push(problem), refuse)
  if (problems.length > 0) {
    if (fieldValidation === 'Strict') throw refuse(`strict decoding error: ${problems.join(', ')}`)
    if (fieldValidation === 'Warn') {
      for (const problem of problems) if (!context.warnings.includes(problem)) context.warnings.push(problem)
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
    default:
      return rejected()
  }
}

/** Upstream has one sentence for every patch that does not fit its object. */
function rejected(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
}
