import { get, type Registry } from '../registry/index.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'

export function getHandler(registry: Registry): ResourceHandler {
  return async ({ signal }, resource, target) => {
    const { value, revision } = await get(registry, resource, target, signal)
    return respondBytes(200, resource.codec.serve(value, revision, resource.apiVersion))
  }
}
