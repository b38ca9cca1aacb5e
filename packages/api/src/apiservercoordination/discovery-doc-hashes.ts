import { ageColumn, nameColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema, text, time } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'
import { validateDiscoveryDocHashes } from './validate-discovery-doc-hashes.ts'

/** One server's hash of its built-in discovery documents (KEP "Coordinated discovery documents", "API changes"). */
export interface DiscoveryDocHash {
  readonly apiServerID: string
  /** Two servers with the same hash serve the same built-in APIs. */
  readonly builtInAPIHash: string
  /** By the clock of that server: others only check that it changes. */
  readonly lastHeartbeatTime: string
}

/** One object, in which every server has an entry. */
export interface DiscoveryDocHashes extends ApiObject {
  /** Sorted by apiServerID. */
  hashes: readonly DiscoveryDocHash[]
}

/** The name of the one object: its hashes are of what is built in. */
export const discoveryDocHashesName = 'built-in'

export const discoveryDocHashes = defineResource<DiscoveryDocHashes>({
  group: 'apiservercoordination.k8s.io',
  kind: 'DiscoveryDocHashes',
  plural: 'discoverydochashes',
  scope: 'Cluster',
  versions: {
    v1alpha1: identityVersion<DiscoveryDocHashes>({
      ...objectSchema(
        {
          hashes: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['apiServerID'],
            description: 'One entry per server.',
            items: {
              type: 'object',
              required: ['apiServerID', 'builtInAPIHash', 'lastHeartbeatTime'],
              properties: {
                apiServerID: { ...text, description: 'The ID of the server: the name of its Lease.' },
                builtInAPIHash: {
                  ...text,
                  description:
                    'The hash of the discovery documents that the server serves for the built-in APIs.',
                },
                lastHeartbeatTime: { ...time, description: 'When the server last wrote this entry.' },
              },
            },
          },
        },
        ['hashes'],
      ),
      description: 'Shows whether all API servers serve the same discovery documents for the built-in APIs.',
    }),
  },
  preferredStorageVersion: 'v1alpha1',
  storagePrefix: 'apiservercoordination.k8s.io/discoverydochashes',
  bootstrap: true,
  columns: [
    nameColumn,
    {
      name: 'Servers',
      type: 'integer',
      description: 'How many servers have reported',
      cell: ({ hashes }) => hashes?.length ?? null,
    },
    {
      name: 'Hashes',
      type: 'integer',
      description: 'How many different hashes the servers have reported',
      cell: ({ hashes }) => hashes && new Set(hashes.map(({ builtInAPIHash }) => builtInAPIHash)).size,
    },
    ageColumn,
  ],
  // Only the servers write it, directly to the store: clients everywhere would trust what a client wrote here.
  strategy: { verbs: ['get', 'list', 'watch'], validate: ({ hashes }) => validateDiscoveryDocHashes(hashes) },
})
