import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from '@strata/api'

export const gadgetNames: CustomResourceDefinitionNames = {
  plural: 'gadgets',
  singular: 'gadget',
  kind: 'Gadget',
  listKind: 'GadgetList',
}

export function condition(
  type: CustomResourceDefinitionCondition['type'],
  status: 'True' | 'False' = 'True',
  reason = '',
  message = '',
): CustomResourceDefinitionCondition {
  return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }
}

/** An established CRD: v1 is stored, v2 is served too. */
export function gadgetDefinition(
  change: {
    readonly metadata?: CustomResourceDefinition['metadata']
    readonly spec?: Partial<CustomResourceDefinition['spec']>
    readonly status?: Partial<CustomResourceDefinition['status']>
  } = {},
): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: 'object' } }
  return {
    metadata: { name: 'gadgets.example.org', uid: 'first', generation: 1, ...change.metadata },
    spec: {
      group: 'example.org',
      names: gadgetNames,
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: { strategy: 'None' },
      ...change.spec,
    },
    status: {
      conditions: [condition('NamesAccepted'), condition('Established')],
      acceptedNames: gadgetNames,
      storedVersions: ['v1'],
      ...change.status,
    },
  }
}
