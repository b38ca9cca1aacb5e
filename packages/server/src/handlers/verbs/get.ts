import { get, type Registry } from '../../registry/index.ts'
import { negotiateForm, serveForm } from '../answer/forms.ts'
import { respondBytes } from '../answer/respond.ts'
import type { ResourceHandler } from '../request-context.ts'
import { freshnessOf } from './list-request.ts'

export function getHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const { info, signal } = context
    const form = negotiateForm(context, resource, 'object', registry.world.clock)
    const freshness = freshnessOf(info.query.get('resourceVersion') ?? '')
    const { value, revision } = await get(registry, resource, target, freshness, signal)
    if (resource.codec.needsWebhook) await resource.codec.ready([value], resource.apiVersion)
    return respondBytes(200, serveForm(resource, form, value, revision))
  }
}
