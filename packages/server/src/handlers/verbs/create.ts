import { create, type Registry } from '../../registry/index.ts'
import { respondObject } from '../answer/respond-object.ts'
import { readObject } from '../body/decode-object.ts'
import type { ResourceHandler } from '../request-context.ts'
import { writeOptions } from './parse-write-options.ts'

export function createHandler(registry: Registry): ResourceHandler {
  return async (context, resource, { namespace }) => {
    const options = writeOptions(context, 'CreateOptions')
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    const written = await create(registry, resource, namespace, object, options, context.signal)
    return respondObject(201, resource, written)
  }
}
