import { get, type Registry } from '../registry/index.ts'
import { revisionParameter } from './query.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'

export function getHandler(registry: Registry): ResourceHandler {
  return async ({ info, signal }, resource, target) => {
    const notOlderThan = revisionParameter(info.query)
    const { value, revision } = await get(registry, resource, target, notOlderThan, signal)
    return respondBytes(200, resource.codec.serve(value, revision, resource.apiVersion))
  }
}
