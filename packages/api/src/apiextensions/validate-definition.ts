import { type FieldError, invalid } from '../machinery/field-error.ts'
import { type CustomResourceDefinition, versionsOf } from './custom-resource-definition.ts'

export function validateDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { metadata, spec } = definition
  const errors: FieldError[] = []
  if (metadata.name !== `${spec.names.plural}.${spec.group}`) {
    errors.push(invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'))
  }
  if (versionsOf(definition).filter(({ storage }) => storage).length !== 1) {
    errors.push(
      invalid(
        'spec.versions',
        versionsOf(definition),
        'must have exactly one version marked as storage version',
      ),
    )
  }
  return errors
}

export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  _stored: CustomResourceDefinition,
): FieldError[] {
  return validateDefinition(definition)
}

export function validateDefinitionStatus(): FieldError[] {
  return []
}
