import { ApiError, serviceUnavailable } from '@strata/api'
import type { HttpResponse } from '@strata/world'
import { DefinitionChanged } from '../coordination/index.ts'
import { type Registry, reachFreshness, type ServedResource } from '../registry/index.ts'
import type { Handler, RequestContext, ResourceHandler, ResourceTarget } from './request-context.ts'

/** How often one request is tried while its CRD changes. After that a read returns its last answer; an error becomes 503. */
const attempts = 10
const reads = new Set(['get', 'list', 'watch'])

/**
 * Answers with the current CRD, also while it changes:
 * - A resource that is unknown here may have been defined through another server a moment ago. The client has seen it
 *   established, so it must not get 404.
 * - A write that began under an older CRD was not stored. It starts again under the new one.
 * - A read or a refusal under an older CRD is repeated under the new one. Otherwise: a client adds a field to a schema
 *   through A, uses it through B, and B answers that there is no such field.
 */
export async function answerDefined(
  registry: Registry,
  context: RequestContext,
  target: ResourceTarget,
  answer: ResourceHandler,
  others: Handler,
): Promise<HttpResponse> {
  const { signal, warnings, info } = context
  const warned = warnings.length
  const { resource: found } = context
  const isCurrent = found && !found.replaced?.aborted
  let resource = isCurrent ? found : await find(registry, target, signal)
  for (let attempt = 1; ; attempt++) {
    if (!resource) return others(context)
    try {
      if (resource.definition.isCustom && !reads.has(info.verb)) {
        await registry.gate.opening(resource.definition, signal)
      }
      if (resource.deprecation !== undefined) warnings.push(resource.deprecation)
      const response = await answer(context, resource, target)
      // A watch ends by itself, and a write was stored under the CRD that was current.
      const mayBeOutdated = info.verb === 'get' || info.verb === 'list'
      if (!mayBeOutdated || !resource.replaced?.aborted || attempt >= attempts) return response
    } catch (error) {
      if (!(await isOutdated(registry, resource, info.verb, error, signal))) throw error
      if (attempt >= attempts) {
        const { resource: plural, group } = resource.definition
        throw serviceUnavailable(
          `the CRD of ${plural}.${group} changed too often during the request; nothing was written`,
          1,
        )
      }
    }
    warnings.length = warned
    resource = await find(registry, target, signal)
  }
}

/** Whether the request failed because its CRD is no longer current. */
async function isOutdated(
  { cache }: Registry,
  { definition, replaced }: ServedResource,
  verb: string,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (error instanceof DefinitionChanged) {
    await cache.barrier.pass(signal)
    return true
  }
  if (!definition.isCustom || !(error instanceof ApiError)) return false
  // Reads have passed the barrier, and can always be repeated: the older CRD may have named a conversion webhook that was
  // removed together with it.
  if (reads.has(verb)) return replaced?.aborted === true
  if (!isByDefinition(error)) return false
  await cache.barrier.pass(signal)
  return replaced?.aborted === true
}

/**
 * Errors that depend on the CRD: refused by the schema, refused because the CRD is being deleted, or stored in a version
 * that the CRD lacks. A failed conversion is not among them: the write may be stored, and only its answer not converted. Such
 * a write must not be repeated.
 */
function isByDefinition({ code, reason }: ApiError): boolean {
  return code === 400 || code === 403 || code === 422 || reason === 'StorageReadError'
}

async function find(
  { api, ...registry }: Registry,
  { group, versionName, resource }: ResourceTarget,
  signal: AbortSignal,
): Promise<ServedResource | undefined> {
  const found = api.find(group, versionName, resource)
  // A CRD that is new in the store may not be in the cache yet; the group of a custom resource has a dot. With AgreedServing
  // built-in versions appear too, but each server serves them only after it has seen the record: until then, 404.
  if (found || !group.includes('.')) return found
  // If the store cannot be read, it is unknown whether the resource exists, and 404 would be wrong.
  await reachFreshness(registry, 'newest', signal)
  return api.find(group, versionName, resource)
}
