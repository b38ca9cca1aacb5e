import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, integer, objectSchema, text, textList } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'

export interface ServerStorageVersion {
  readonly apiServerID: string
  readonly encodingVersion: string
  readonly decodableVersions: readonly string[]
  readonly servedVersions?: readonly string[]
}

export interface StorageVersionCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

/** Seed 003: who stores a resource in which version. Here, a projection of the agreement record. */
export interface StorageVersion extends ApiObject {
  spec: Record<string, never>
  status: {
    readonly storageVersions?: readonly ServerStorageVersion[]
    readonly commonEncodingVersion?: string
    readonly conditions?: readonly StorageVersionCondition[]
  }
}

const condition = {
  type: 'object',
  required: ['type', 'status', 'reason'],
  properties: {
    type: text,
    status: text,
    observedGeneration: { ...integer, format: 'int64' },
    lastTransitionTime: { type: 'string', format: 'date-time', nullable: true },
    reason: text,
    message: text,
  },
} as const

export const storageVersions = defineResource<StorageVersion>({
  group: 'internal.apiserver.k8s.io',
  kind: 'StorageVersion',
  plural: 'storageversions',
  scope: 'Cluster',
  typed: true,
  versions: {
    v1alpha1: identityVersion<StorageVersion>(
      objectSchema({
        spec: { type: 'object' },
        status: {
          type: 'object',
          properties: {
            storageVersions: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['apiServerID'],
              items: {
                type: 'object',
                properties: {
                  apiServerID: text,
                  encodingVersion: text,
                  decodableVersions: textList,
                  servedVersions: textList,
                },
              },
            },
            commonEncodingVersion: { ...text, nullable: true },
            conditions: { type: 'array', items: condition },
          },
        },
      }),
    ),
  },
  preferredStorageVersion: 'v1alpha1',
  storagePrefix: 'internal.apiserver.k8s.io/storageversions',
  bootstrap: true,
  subresources: { status: true },
  // Changed only together with the agreement record that it shows, in one transaction.
  strategy: { verbs: ['get', 'list', 'watch'] },
})
