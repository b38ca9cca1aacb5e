import { ageColumn, nameColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema, structSchema, text, time } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { stateOf } from '../storagemigration/storage-version-migration.ts'
import { type MigrationProgress, progressProperties } from './migration-progress.ts'
import {
  validateVersioned,
  validateVersionedStatus,
  validateVersionedUpdate,
} from './validate-versioned-migration.ts'

export interface VersionedMigrationCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly lastUpdateTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface VersionedMigrationStatus extends MigrationProgress {
  readonly conditions?: readonly VersionedMigrationCondition[]
}

/**
 * A StorageVersionMigration of kube-storage-version-migrator. Other than upstream's own kind of that name, it says in
 * which version the migrator should speak to the servers, and keeps its place in its spec.
 */
export interface VersionedMigration extends ApiObject {
  spec: {
    readonly resource: { readonly group?: string; readonly version: string; readonly resource: string }
    readonly continueToken?: string
  }
  status?: VersionedMigrationStatus
}

const groupVersionResource = structSchema('GroupVersionResource', 'A resource in one version.', {
  group: { ...text, description: 'The group; empty for the core group.' },
  version: { ...text, description: 'The version in which the migrator reads and writes.' },
  resource: { ...text, description: 'The plural name.' },
})

const condition = structSchema(
  'MigrationCondition',
  'Something that is so about the migration, or is not.',
  {
    type: { ...text, description: 'Running, Succeeded or Failed.' },
    status: { ...text, description: 'Whether it is so: True, False or Unknown.' },
    lastUpdateTime: { ...time, description: 'When this was last said.' },
    reason: { ...text, description: 'Why, in one word.' },
    message: { ...text, description: 'Why, for people.' },
  },
  ['type', 'status'],
)

const schema: Schema = {
  ...objectSchema({
    spec: {
      ...structSchema('StorageVersionMigrationSpec', 'What is to be migrated.', {
        resource: { ...groupVersionResource, description: 'The resource. It cannot be changed.' },
        continueToken: { ...text, description: 'Where the list of objects goes on after a restart.' },
      }),
      description: 'What is to be migrated.',
    },
    status: {
      ...structSchema('StorageVersionMigrationStatus', 'How far a migration is.', {
        conditions: {
          type: 'array',
          items: condition,
          description: 'Whether it is Running, Succeeded or Failed.',
        },
        ...progressProperties,
      }),
      description: 'How far it is.',
    },
  }),
  description: 'Brings every stored object of one resource to the version in which it is stored now.',
}

export const versionedMigrations = defineResource<VersionedMigration>({
  group: 'migration.k8s.io',
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  scope: 'Cluster',
  versions: { v1alpha1: identityVersion<VersionedMigration>(schema) },
  preferredStorageVersion: 'v1alpha1',
  // Where the instances of kube-storage-version-migrator's definition of the same name are, should there be some.
  storagePrefix: 'migration.k8s.io/storageversionmigrations',
  subresources: { status: true },
  columns: [
    nameColumn,
    {
      name: 'Resource',
      type: 'string',
      description: 'The resource that is migrated, and the version in which that is done',
      cell: ({ spec }) => {
        const { group, version: versionName, resource } = spec?.resource ?? {}
        return [resource, versionName, group].filter(Boolean).join('.')
      },
    },
    {
      name: 'Status',
      type: 'string',
      description: 'Status of the migration',
      cell: ({ status }) => stateOf(status?.conditions),
    },
    {
      name: 'Percent',
      type: 'integer',
      description: 'How much is done, of a hundred',
      cell: ({ status }) => status?.percent ?? null,
    },
    ageColumn,
  ],
  strategy: {
    tracksGeneration: true,
    prepareForCreate: (migration) => {
      delete migration.status
    },
    prepareForUpdate: (migration, stored) => {
      if (stored.status) migration.status = structuredClone(stored.status)
      else delete migration.status
    },
    validateCreate: validateVersioned,
    validateUpdate: validateVersionedUpdate,
    validateStatusUpdate: validateVersionedStatus,
  },
})
