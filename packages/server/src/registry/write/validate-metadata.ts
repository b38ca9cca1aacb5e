import {
  type ApiObject,
  customResourceDefinitions,
  type FieldError,
  isKind,
  type ResourceDefinition,
  validateObjectMeta,
  validateQualifiedFinalizers,
} from '@strata/api'

/** What is wrong with an object's metadata, in upstream's order and words. */
export function validateMetadata({ metadata }: ApiObject, definition: ResourceDefinition): FieldError[] {
  const errors = validateObjectMeta(metadata, definition.strategy.nameRule)
  const isExtension = definition.isCustom || isKind(definition, customResourceDefinitions)
  return isExtension ? errors : [...errors, ...validateQualifiedFinalizers(metadata)]
}
