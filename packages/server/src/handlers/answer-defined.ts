import { serviceUnavailable } from '@strata/api'
import type { HttpResponse } from '@strata/world'
import { DefinitionChanged } from '../coordination/index.ts'
import { catchUp, type Registry, type ServedResource } from '../registry/index.ts'
import type { Handler, RequestContext, ResourceHandler, ResourceTarget } from './request-context.ts'

/** A definition that changes this often while one request is under way is not worth waiting for. */
const attempts = 10
const reads = new Set(['get', 'list', 'watch'])

/**
 * Answers by the definition that is in force, also while it changes. A resource that is not known here may have been
 * defined through another server a moment ago: the client has seen it established, and must not be told that there is no
 * such thing. And a write that was begun by a definition which has changed since is looked at again from the beginning,
 * by the new one: it has not been stored.
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
  for (let attempt = 1; ; attempt++) {
    const resource = await find(registry, target, signal)
    if (!resource) return others(context)
    try {
      if (resource.definition.isCustom && !reads.has(info.verb)) {
        await registry.gate.opening(resource.definition, signal)
      }
      if (resource.deprecation !== undefined) warnings.push(resource.deprecation)
      return await answer(context, resource, target)
    } catch (error) {
      if (!(error instanceof DefinitionChanged)) throw error
      if (attempt >= attempts)
        throw serviceUnavailable(`${error.message} again and again; nothing was written`, 1)
      warnings.length = warned
      await registry.cache.barrier.pass(signal)
    }
  }
}

async function find(
  { api, ...registry }: Registry,
  { group, versionName, resource }: ResourceTarget,
  signal: AbortSignal,
): Promise<ServedResource | undefined> {
  const found = api.find(group, versionName, resource)
  // Only custom resources come while a server runs, and their groups have a dot.
  if (found || !group.includes('.')) return found
  await catchUp(registry, signal)
  return api.find(group, versionName, resource)
}
