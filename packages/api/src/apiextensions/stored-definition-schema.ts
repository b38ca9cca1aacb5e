import { boolean, objectSchema } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import { definitionParts } from './definition-schema.ts'

const { atomicTexts, requiredText, clientConfig, column, versionSchema, spec, status } = definitionParts

/** The schema of an object with some of its fields changed, and without those that are undefined. */
function changed(schema: Schema, changes: Readonly<Record<string, Schema | undefined>>): Schema {
  const properties: Record<string, Schema> = { ...schema.properties }
  for (const [field, each] of Object.entries(changes)) {
    if (each) properties[field] = each
    else delete properties[field]
  }
  const { required: _, ...rest } = schema
  return { ...rest, properties }
}

const columns: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'atomic',
  items: changed(column, { jsonPath: undefined, JSONPath: requiredText }),
}

const version = changed(versionSchema, { additionalPrinterColumns: columns })

const { schema: validation, subresources, selectableFields } = versionSchema.properties ?? {}

/** CRDs in `v1beta1`: common parts of all versions stand beside the versions, and columns have a `JSONPath`. */
export const storedDefinitionSchema: Schema = objectSchema({
  spec: {
    ...changed(spec, {
      version: requiredText,
      validation,
      subresources,
      additionalPrinterColumns: columns,
      selectableFields,
      versions: { type: 'array', default: null, 'x-kubernetes-list-type': 'atomic', items: version },
      conversion: {
        type: 'object',
        nullable: true,
        properties: {
          strategy: requiredText,
          webhookClientConfig: { ...clientConfig, nullable: true },
          conversionReviewVersions: atomicTexts,
        },
      },
      preserveUnknownFields: { ...boolean, nullable: true },
    }),
    default: {},
  },
  status: { ...status, default: {} },
})
