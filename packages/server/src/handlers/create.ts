import { create, type Registry } from '../registry/index.ts'
import { readObject } from './decode-object.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'
import { writeOptions } from './write-options.ts'

export function createHandler(registry: Registry): ResourceHandler {
  return async (context, resource, { namespace }) => {
    const options = writeOptions(context, 'CreateOptions')
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    const { value, revision } = await create(registry, resource, namespace, object, options, context.signal)
    return respondBytes(201, resource.codec.serve(value, revision, resource.apiVersion))
  }
}
