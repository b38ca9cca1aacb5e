import { type Registry, remove } from '../../registry/index.ts'
import { negotiateForm, serveForm } from '../answer/forms.ts'
import { respondBytes, respondJson } from '../answer/respond.ts'
import type { ResourceHandler } from '../request-context.ts'
import { readDeleteOptions } from './delete-options.ts'

export function deleteHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const form = negotiateForm(context, resource, 'object', registry.world.clock)
    const options = await readDeleteOptions(context)
    const { value, revision, gone } = await remove(registry, resource, target, options, context.signal)
    const { definition, codec, apiVersion } = resource
    if (codec.needsWebhook) await codec.ready([value], apiVersion)
    // As upstream: only a request in the deprecated form learns by 202 that the object is not gone yet.
    const status = !gone && options.orphanDependents === false ? 202 : 200
    if (!gone || definition.strategy.returnsDeletedObject) {
      return respondBytes(status, serveForm(resource, form, value, revision))
    }
    const { uid } = codec.decodeIn(value, apiVersion).metadata
    return respondJson(200, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: target.name,
        ...(definition.group === '' ? {} : { group: definition.group }),
        kind: definition.resource,
        ...(uid === undefined ? {} : { uid }),
      },
    })
  }
}
