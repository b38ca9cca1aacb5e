import { ageColumn, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import { conditionSchema } from '../meta/condition.ts'
import type { ServerStorageVersion, StorageVersion } from './storage-version-types.ts'
import { storageVersionName, validateStorageVersionStatus } from './validate-storage-version.ts'

const condition = conditionSchema(
  'StorageVersionCondition',
  'One aspect of the state of a storage version.',
  text,
)

const serverStorageVersion = structSchema(
  'ServerStorageVersion',
  'What one API server reports about one resource.',
  {
    apiServerID: { ...text, description: 'The ID of the server.' },
    encodingVersion: { ...text, description: 'The version that the server stores objects in.' },
    decodableVersions: {
      ...textList,
      'x-kubernetes-list-type': 'set',
      description: 'The versions that the server can decode, including the encoding version.',
    },
    servedVersions: {
      ...textList,
      'x-kubernetes-list-type': 'set',
      description: 'The versions that the server serves. It can decode all of them.',
    },
  },
)

const status = structSchema(
  'StorageVersionStatus',
  'API server instances report the versions they can decode and the version they encode objects to when persisting objects in the backend.',
  {
    storageVersions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['apiServerID'],
      items: serverStorageVersion,
      description: 'storageVersions lists the reported versions per API server instance.',
    },
    commonEncodingVersion: {
      ...text,
      nullable: true,
      description:
        "commonEncodingVersion is set to an encoding storage version if all API server instances share that same version. If they don't share one storage version, this field is left empty. API servers should finish updating its storageVersionStatus entry before serving write operations, so that this field will be in sync with the reality.",
    },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: condition,
      description: "conditions lists the latest available observations of the storageVersion's state.",
    },
  },
)

const schema: Schema = {
  ...objectSchema(
    {
      spec: {
        ...structSchema('StorageVersionSpec', 'An empty spec.', {}),
        default: {},
        description: 'Always empty. API servers report their storage versions in status.',
      },
      status: {
        ...status,
        default: {},
        description:
          'status on the version the API server instance can decode from and encode objects to when persisting objects in the backend.',
      },
    },
    ['spec', 'status'],
  ),
  description: 'The version that each API server stores one resource in.',
}

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
    v1alpha1: identityVersion<StorageVersion>(schema),
  },
  preferredStorageVersion: 'v1alpha1',
  storagePrefix: 'internal.apiserver.k8s.io/storageversions',
  bootstrap: true,
  subresources: { status: true },
  columns: [
    nameColumn,
    textColumn(
      'CommonEncodingVersion',
      "commonEncodingVersion is set to an encoding storage version if all API server instances share that same version. If they don't share one storage version, this field is left empty. API servers should finish updating its storageVersionStatus entry before serving write operations, so that this field will be in sync with the reality.",
      ({ status }) => status?.commonEncodingVersion ?? '<unset>',
    ),
    textColumn(
      'StorageVersions',
      'storageVersions lists the reported versions per API server instance.',
      ({ status }) => firstServers(status?.storageVersions ?? []),
    ),
    ageColumn,
  ],
  // `server/src/registry/kinds/storage-version-guard.ts` limits clients to labels and annotations of names that servers hold.
  strategy: {
    nameRule: storageVersionName,
    prepareForCreate: (object) => {
      object.status = {}
    },
    prepareForUpdate: (object, stored) => {
      object.status = structuredClone(stored.status)
    },
    validateCreate: ({ status }) => validateStorageVersionStatus(status),
    validateStatusUpdate: ({ status }) => validateStorageVersionStatus(status),
  },
})
