import { limitOf } from '../../patch/raw-number.ts'
import type { Schema, ValidationRule } from '../../schema.ts'

export const rulesOf = (schema: Schema): readonly ValidationRule[] => schema['x-kubernetes-validations'] ?? []
export const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true
export const valuesSchema = ({ additionalProperties }: Schema): Schema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined

const maxNameLength = 253

/**
 * A resource has an apiVersion, a kind and metadata whatever its schema says. Of the metadata, rules see the name and
 * what it is made from.
 */
export function withMetadata(schema: Schema): Schema {
  const { properties } = schema
  const metadata = properties?.['metadata']?.properties
  const isComplete =
    properties?.['kind']?.type === 'string' &&
    properties['apiVersion']?.type === 'string' &&
    properties['metadata']?.type === 'object' &&
    metadata?.['name']?.type === 'string' &&
    metadata['generateName']?.type === 'string'
  // A schema that states the complete type by itself may say more.
  if (isComplete) return schema
  const text = (name: string, most: number): Schema => ({
    type: 'string',
    maxLength: Math.min(limitOf(metadata?.[name]?.maxLength) ?? most, most),
  })
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: { type: 'string' },
      apiVersion: { type: 'string' },
      metadata: {
        type: 'object',
        properties: {
          name: text('name', maxNameLength),
          generateName: text('generateName', maxNameLength - 1),
        },
      },
    },
  }
}
