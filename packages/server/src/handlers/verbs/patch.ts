import {
  ApiError,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  unsupportedMediaType,
} from '@strata/api'
import type { Registry, ServedResource } from '../../registry/index.ts'
import { respondObject } from '../answer/respond-object.ts'
import { mediaTypeOf } from '../body/body.ts'
import { documentPatch } from '../body/patch-document.ts'
import type { ResourceHandler } from '../request-context.ts'
import { applyPatch } from './patch-apply.ts'
import type { PatchedPart, PatchMethod } from './patch-method.ts'
import { respondScale } from './scale.ts'

const decoding = 'error decoding patch: '

/** In the order of upstream's error message. */
const methods: Readonly<Record<string, PatchMethod>> = {
  'application/json-patch+json': documentPatch({
    apply: applyJsonPatch,
    decoding,
    duplicates: 'json patch ',
  }),
  'application/merge-patch+json': documentPatch({ apply: applyMergePatch, decoding }),
  'application/strategic-merge-patch+json': documentPatch({
    apply: (document, patch, { codec, apiVersion, definition }) =>
      applyStrategicMergePatch(document, patch, codec.schemaOf(apiVersion), definition.kind),
    inPlace: true,
  }),
  'application/apply-patch+yaml': applyPatch,
}

/** Merge strategies are known for upstream's kinds only. */
const typedOnly = 'application/strategic-merge-patch+json'

export function patchHandler(registry: Registry, subresource?: PatchedPart): ResourceHandler {
  return async (context, resource, target) => {
    const method = methodFor(mediaTypeOf(context), resource)
    const written = await method({ registry, context, resource, target, subresource })
    if (subresource === 'scale') return respondScale(resource, written)
    return respondObject(written.created ? 201 : 200, resource, written)
  }
}

/** The patch media types that a resource accepts. */
export function patchTypesOf({ definition }: ServedResource): readonly string[] {
  return Object.keys(methods).filter((each) => definition.typed || each !== typedOnly)
}

function methodFor(mediaType: string, resource: ServedResource): PatchMethod {
  const { definition } = resource
  const accepted = patchTypesOf(resource)
  const method = accepted.includes(mediaType) ? methods[mediaType] : undefined
  if (method) return method
  if (!definition.typed) throw unsupportedMediaType(accepted)
  throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
}
