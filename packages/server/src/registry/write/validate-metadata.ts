import {
  type ApiObject,
  customResourceDefinitions,
  type FieldError,
  isKind,
  type ResourceDefinition,
  validateObjectMeta,
  validateQualifiedFinalizers,
} from '@strata/api'

/** Validates metadata, with upstream's order and texts. */
export function validateMetadata({ metadata }: ApiObject, definition: ResourceDefinition): FieldError[] {
  const errors = validateObjectMeta(metadata, definition.strategy.nameRule)
  const isExtension = definition.isCustom || isKind(definition, customResourceDefinitions)
  return isExtension ? errors : [...errors, ...validateQualifiedFinalizers(metadata)]
}
