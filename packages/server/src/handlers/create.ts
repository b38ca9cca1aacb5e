import { create, type Registry } from '../registry/index.ts'
import { readObject } from './body.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'

export function createHandler(registry: Registry): ResourceHandler {
  return async (context, resource, { namespace }) => {
    const object = await readObject(context, resource)
    const { value, revision } = await create(registry, resource, namespace, object, context.signal)
    return respondBytes(201, resource.codec.serve(value, revision, resource.apiVersion))
  }
}
