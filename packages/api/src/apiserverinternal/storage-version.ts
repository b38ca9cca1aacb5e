import { ageColumn, nameColumn } from '../machinery/columns.ts'
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

/** Three of them, and how many more there are. */
function firstServers(servers: readonly ServerStorageVersion[]): string {
  const shown = servers.slice(0, 3).map((each) => `${each.apiServerID}=${each.encodingVersion}`)
  if (servers.length > shown.length) return `${shown.join(',')} + ${servers.length - shown.length} more...`
  return shown.join(',') || '<unset>'
}

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
  columns: [
    nameColumn,
    {
      name: 'CommonEncodingVersion',
      type: 'string',
      description:
        "commonEncodingVersion is set to an encoding storage version if all API server instances share that same version. If they don't share one storage version, this field is left empty. API servers should finish updating its storageVersionStatus entry before serving write operations, so that this field will be in sync with the reality.",
      cell: ({ status }) => status?.commonEncodingVersion ?? '<unset>',
    },
    {
      name: 'StorageVersions',
      type: 'string',
      description: 'storageVersions lists the reported versions per API server instance.',
      cell: ({ status }) => firstServers(status?.storageVersions ?? []),
    },
    ageColumn,
  ],
  // Changed only together with the agreement record that it shows, in one transaction.
  strategy: { verbs: ['get', 'list', 'watch'] },
})
