import { ApiError, serviceUnavailable } from '@strata/api'
import type { HttpResponse } from '@strata/world'
import { DefinitionChanged } from '../coordination/index.ts'
import { type Registry, reachFreshness, type ServedResource } from '../registry/index.ts'
import type { Handler, RequestContext, ResourceHandler, ResourceTarget } from './request-context.ts'

/** A definition that changes this often while one request is under way is not worth waiting for. */
const attempts = 10
const reads = new Set(['get', 'list', 'watch'])

/**
 * Answers by the definition that is in force, also while it changes. A resource that is not known here may have been
 * defined through another server a moment ago: the client has seen it established, and must not be told that there is no
 * such thing. A write that was begun by a definition which has changed since is looked at again from the beginning, by the
 * new one: it has not been stored. And what was refused or read by a definition that is no more is asked of the new one:
 * otherwise a client adds a field to a schema here, uses it there, and is told that there is no such field.
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
      // A watch ends by itself, and what was written was written by the definition that stood.
      const mayBeOutdated = info.verb === 'get' || info.verb === 'list'
      if (!mayBeOutdated || !resource.replaced?.aborted || attempt >= attempts) return response
    } catch (error) {
      if (!(await isOutdated(registry, resource, info.verb, error, signal))) throw error
      if (attempt >= attempts) {
        const { resource: plural, group } = resource.definition
        throw serviceUnavailable(
          `the definition of ${plural}.${group} changed too often during the request; nothing was written`,
          1,
        )
      }
    }
    warnings.length = warned
    resource = await find(registry, target, signal)
  }
}

/** Whether it was a definition that stands no more which could not do what was asked. */
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
  // Reads have passed the barrier already, and can be done again whatever failed: to convert what is stored, the
  // definition that stood may have asked a webhook that was taken away together with it.
  if (reads.has(verb)) return replaced?.aborted === true
  if (!isByDefinition(error)) return false
  await cache.barrier.pass(signal)
  return replaced?.aborted === true
}

/**
 * What a schema refuses, what may not be while a definition goes, and what is stored in a version that it does not have.
 * Not what a webhook could not convert: that may have been the answer to what was written, which must not be done twice.
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
  // Only custom resources come while a server runs, and their groups have a dot.
  if (found || !group.includes('.')) return found
  // Without the store nobody knows whether there is such a resource: that it is not there must not be said then.
  await reachFreshness(registry, 'newest', signal)
  return api.find(group, versionName, resource)
}
