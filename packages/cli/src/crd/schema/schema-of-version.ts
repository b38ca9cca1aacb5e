import type { CustomResourceDefinitionVersion, JsonSchemaProps } from '@strata/api'

/** Without a schema, a version takes everything. */
export const schemaOfVersion = ({ schema }: CustomResourceDefinitionVersion): JsonSchemaProps =>
  schema?.openAPIV3Schema ?? {}
