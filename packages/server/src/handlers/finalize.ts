import { finalizeNamespace, type Registry } from '../registry/index.ts'
import { readObject } from './decode-object.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'
import { writeOptions } from './write-options.ts'

/** PUT /api/v1/namespaces/{name}/finalize: says which finalizers of the namespace's spec are left. */
export function finalizeHandler(registry: Registry): ResourceHandler {
  return async (context, resource, { name }) => {
    const options = writeOptions(context, 'UpdateOptions')
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    const { value, revision } = await finalizeNamespace(
      registry,
      resource,
      name,
      object,
      options,
      context.signal,
    )
    return respondBytes(200, resource.codec.serve(value, revision, resource.apiVersion))
  }
}
