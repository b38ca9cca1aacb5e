import type { CustomResourceDefinition, CustomResourceDefinitionNames } from './custom-resource-definition.ts'
import type { JsonSchemaProps } from './json-schema-props.ts'

export const noNames: CustomResourceDefinitionNames = { plural: '', kind: '' }

export const thingNames: CustomResourceDefinitionNames = {
  plural: 'things',
  singular: 'thing',
  shortNames: ['th'],
  kind: 'Thing',
  listKind: 'ThingList',
}

export const now = '2026-01-01T00:00:00Z'
export const later = '2026-01-02T00:00:00Z'

/** A valid definition of `things.example.com`, just created. */
export function thingDefinition(
  change: {
    readonly names?: CustomResourceDefinitionNames
    readonly schema?: JsonSchemaProps
    readonly spec?: Partial<CustomResourceDefinition['spec']>
    readonly status?: Partial<CustomResourceDefinition['status']>
    readonly metadata?: CustomResourceDefinition['metadata']
  } = {},
): CustomResourceDefinition {
  const names = change.names ?? thingNames
  return {
    metadata: { name: `${names.plural}.example.com`, ...change.metadata },
    spec: {
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: change.schema ?? { type: 'object' } },
        },
      ],
      conversion: { strategy: 'None' },
      ...change.spec,
    },
    status: { conditions: null, acceptedNames: noNames, storedVersions: ['v1'], ...change.status },
  }
}
