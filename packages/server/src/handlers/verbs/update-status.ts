import { type Registry, update } from '../../registry/index.ts'
import { respondObject } from '../answer/respond-object.ts'
import { readObject } from '../body/decode-object.ts'
import type { ResourceHandler } from '../request-context.ts'
import { writeOptions } from './parse-write-options.ts'

/** PUT of `/status`: changes only the status. */
export function updateStatusHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const options = writeOptions(context, 'UpdateOptions')
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    const asStatus = { ...options, subresource: 'status' } as const
    const written = await update(registry, resource, target, object, asStatus, context.signal)
    return respondObject(200, resource, written)
  }
}
