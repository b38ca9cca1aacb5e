import { createdAtColumns } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion } from '../machinery/identity-version.ts'
import { cloneJson } from '../machinery/patch/json-value.ts'
import {
  apiextensionsGroup,
  type CustomResourceDefinition,
  withStorageVersion,
} from './custom-resource-definition.ts'
import { applyDefinitionDefaults } from './definition-defaults.ts'
import { customResourceDefinitionSchema } from './definition-schema.ts'
import { definitionWarnings } from './definition-warnings.ts'
import { storedDefinitionVersion } from './stored-definition.ts'
import { markForDeletion } from './terminating.ts'
import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from './validation/validate-definition.ts'

export const customResourceDefinitions = defineResource<CustomResourceDefinition>({
  group: apiextensionsGroup,
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  typed: true,
  versions: {
    v1: identityVersion<CustomResourceDefinition>(customResourceDefinitionSchema, applyDefinitionDefaults),
    v1beta1: storedDefinitionVersion,
  },
  servedVersions: ['v1'],
  preferredStorageVersion: 'v1beta1',
  storagePrefix: 'apiextensions.k8s.io/customresourcedefinitions',
  subresources: { status: true },
  columns: createdAtColumns,
  strategy: {
    tracksGeneration: true,
    statusTakesMetadata: true,
    prepareForCreate: (definition) => {
      definition.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null }
      definition.status = withStorageVersion(definition)
    },
    // The status is written at /status alone, except that a new storage version must never go unrecorded.
    prepareForUpdate: (definition, stored) => {
      definition.status = cloneJson(stored.status)
      definition.status = withStorageVersion(definition)
    },
    markForDeletion,
    validateCreate: validateDefinition,
    validateUpdate: validateDefinitionUpdate,
    validateStatusUpdate: validateDefinitionStatus,
    warnings: definitionWarnings,
  },
})
