import type { HttpResponse } from '@strata/world'
import {
  get,
  patchScale,
  type Registry,
  type ServedResource,
  scaleOf,
  scaleResource,
  type Written,
} from '../../registry/index.ts'
import { negotiateForm, transformAnswer } from '../answer/forms.ts'
import { respondJson } from '../answer/respond.ts'
import { readObject } from '../body/decode-object.ts'
import type { ResourceHandler } from '../request-context.ts'
import { freshnessOf } from './list-request.ts'
import { writeOptions } from './parse-write-options.ts'

/** GET of `/scale`. */
export function getScaleHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const { info, signal } = context
    const form = negotiateForm(context, scaleResource, 'object', registry.world.clock)
    const freshness = freshnessOf(info.query.get('resourceVersion') ?? '')
    const scale = await respondScale(resource, await get(registry, resource, target, freshness, signal))
    return transformAnswer(scaleResource, form, scale)
  }
}

/** PUT of `/scale`: changes only the replicas. */
export function updateScaleHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const options = writeOptions(context, 'UpdateOptions')
    const scale = await readObject(context, registry.api, scaleResource, options.fieldValidation)
    const written = await patchScale(
      registry,
      resource,
      target,
      () => structuredClone(scale),
      options,
      context.signal,
    )
    return respondScale(resource, written)
  }
}

/** The Scale of a stored object. */
export async function respondScale(
  resource: ServedResource,
  { value, revision }: Pick<Written, 'value' | 'revision'>,
): Promise<HttpResponse> {
  const { codec, apiVersion } = resource
  if (codec.needsWebhook) await codec.ready([value], apiVersion)
  const object = codec.toWire(codec.decodeIn(value, apiVersion), apiVersion)
  const metadata = { ...object.metadata, resourceVersion: String(revision) }
  return respondJson(200, scaleOf(resource, { ...object, metadata }))
}
