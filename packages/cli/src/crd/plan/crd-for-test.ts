import type { CustomResourceConversion, CustomResourceDefinition, JsonSchemaProps } from '@strata/api'

export interface CrdForTest {
  /** `v1` is served, `v1*` is the storage version, `v1-` is not served, `v1*-` is stored and not served. */
  readonly versions: string
  readonly stored?: readonly string[]
  readonly webhook?: string
  readonly scope?: string
  readonly kind?: string
  readonly schema?: JsonSchemaProps
  readonly deleting?: boolean
  /** The reason of the condition StorageMigrating. */
  readonly migrating?: string
}

/** `lamps.light.example.dev`, established, with the given versions. */
export function crdForTest({
  versions,
  stored,
  webhook,
  scope = 'Namespaced',
  kind = 'Lamp',
  schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  deleting = false,
  migrating,
}: CrdForTest): CustomResourceDefinition {
  const all = versions.split(' ').map((text) => ({
    name: text.replace(/[*-]/g, ''),
    served: !text.includes('-'),
    storage: text.includes('*'),
    schema: { openAPIV3Schema: schema },
  }))
  const names = { plural: 'lamps', singular: 'lamp', kind, listKind: `${kind}List` }
  return {
    metadata: {
      ...{ name: 'lamps.light.example.dev', uid: 'u', generation: 1, resourceVersion: '1' },
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { group: 'light.example.dev', names, scope, versions: all, conversion: conversionAt(webhook) },
    status: {
      conditions: [
        { type: 'Established', status: 'True', lastTransitionTime },
        ...(migrating === undefined
          ? []
          : [{ type: 'StorageMigrating', status: 'False', reason: migrating, lastTransitionTime } as const]),
      ],
      acceptedNames: names,
      storedVersions: stored ?? all.flatMap(({ name, storage }) => (storage ? [name] : [])),
    },
  }
}

const lastTransitionTime = '2026-01-01T00:00:00Z'

const conversionAt = (url: string | undefined): CustomResourceConversion =>
  url === undefined
    ? { strategy: 'None' }
    : {
        strategy: 'Webhook',
        webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] },
      }
