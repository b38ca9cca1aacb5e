import type { AgreementRecords } from '../coordination/index.ts'
import { type Registry, update, updateAgreement } from '../registry/index.ts'
import { readObject } from './body.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'

export function updateHandler(registry: Registry, records: AgreementRecords): ResourceHandler {
  return async (context, resource, target) => {
    const object = await readObject(context, resource)
    const { signal } = context
    const written =
      resource.definition.kind === 'StorageAgreement'
        ? await updateAgreement(records, resource, target.name, object, signal)
        : await update(registry, resource, target, object, signal)
    const body = resource.codec.serve(written.value, written.revision, resource.apiVersion)
    return respondBytes(written.created ? 201 : 200, body)
  }
}
