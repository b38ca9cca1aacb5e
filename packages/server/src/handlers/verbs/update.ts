import { badRequest, isKind, storageAgreements } from '@strata/api'
import type { AgreementRecords } from '../../coordination/index.ts'
import { type Registry, update, updateAgreement } from '../../registry/index.ts'
import { respondObject } from '../answer/respond-object.ts'
import { readObject } from '../body/decode-object.ts'
import type { ResourceHandler } from '../request-context.ts'
import { writeOptions } from './parse-write-options.ts'

export function updateHandler(registry: Registry, records: AgreementRecords): ResourceHandler {
  return async (context, resource, target) => {
    const options = writeOptions(context, 'UpdateOptions')
    const isAgreement = isKind(resource.definition, storageAgreements)
    // The effects of a removal are known only once its guards have held, so a dry run would show nothing.
    if (isAgreement && options.dryRun) {
      throw badRequest('dryRun: agreement records have no dry run; leave dryRun out')
    }
    const object = await readObject(context, registry.api, resource, options.fieldValidation)
    const { signal } = context
    const written = isAgreement
      ? await updateAgreement(records, resource, target.name, object, signal)
      : await update(registry, resource, target, object, options, signal)
    return respondObject(written.created ? 201 : 200, resource, written)
  }
}
