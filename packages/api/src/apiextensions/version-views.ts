import type { ScalePaths } from '../machinery/define-resource.ts'
import type { CustomResourceDefinitionVersion } from './custom-resource-definition.ts'

/** The fields that a field selector may name, besides those of metadata: `spec.color`. */
export function selectableFieldsOf({
  selectableFields = [],
}: Pick<CustomResourceDefinitionVersion, 'selectableFields'>): readonly string[] {
  return selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, ''))
}

/** The paths of the Scale fields in a version; undefined if it has no scale subresource. */
export function scalePathsOf({
  subresources,
}: Pick<CustomResourceDefinitionVersion, 'subresources'>): ScalePaths | undefined {
  const scale = subresources?.scale
  if (!scale) return undefined
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  return {
    specReplicas: specReplicasPath,
    statusReplicas: statusReplicasPath,
    ...(labelSelectorPath === '' ? {} : { labelSelector: labelSelectorPath }),
  }
}
