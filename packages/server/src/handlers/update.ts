import { isKind, storageAgreements } from '@strata/api'
import type { AgreementRecords } from '../coordination/index.ts'
import { type Registry, update, updateAgreement } from '../registry/index.ts'
import { readObject } from './decode-object.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes } from './respond.ts'
import { writeOptions } from './write-options.ts'

export function updateHandler(registry: Registry, records: AgreementRecords): ResourceHandler {
  return async (context, resource, target) => {
    const options = writeOptions(context, 'UpdateOptions')
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    const { signal } = context
    const written = isKind(resource.definition, storageAgreements)
      ? await updateAgreement(records, resource, target.name, object, signal)
      : await update(registry, resource, target, object, options, signal)
    const body = resource.codec.serve(written.value, written.revision, resource.apiVersion)
    return respondBytes(written.created ? 201 : 200, body)
  }
}
