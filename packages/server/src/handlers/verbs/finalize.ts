import { finalizeNamespace, type Registry } from '../../registry/index.ts'
import { respondObject } from '../answer/respond-object.ts'
import { readObject } from '../body/decode-object.ts'
import type { ResourceHandler } from '../request-context.ts'
import { writeOptions } from './parse-write-options.ts'

/** PUT /api/v1/namespaces/{name}/finalize: replaces the finalizers in the namespace's spec. */
export function finalizeHandler(registry: Registry): ResourceHandler {
  return async (context, resource, { name }) => {
    const options = writeOptions(context, 'UpdateOptions')
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    const written = await finalizeNamespace(registry, resource, name, object, options, context.signal)
    return respondObject(200, resource, written)
  }
}
