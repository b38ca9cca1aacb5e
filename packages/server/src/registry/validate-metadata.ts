import { type ApiObject, type FieldError, type ResourceDefinition, validateObjectMeta } from '@strata/api'

/** What is wrong with an object's metadata, in upstream's order and words. */
export function validateMetadata({ metadata }: ApiObject, { strategy }: ResourceDefinition): FieldError[] {
  return validateObjectMeta(metadata, strategy.nameRule)
}
