import { ageColumn, nameColumn, textColumn } from '../machinery/columns.ts'
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

const groupVersionResource = structSchema('GroupVersionResource', 'A group, a version and a resource.', {
  group: { ...text, description: 'The group; empty for the core group.' },
  version: { ...text, description: 'The API version that the migrator uses.' },
  resource: { ...text, description: 'The plural name.' },
})

const condition = structSchema(
  'MigrationCondition',
  'One aspect of the state of a migration.',
  {
    type: { ...text, description: 'Running, Succeeded or Failed.' },
    status: { ...text, description: 'True, False or Unknown.' },
    lastUpdateTime: { ...time, description: 'When the condition was last updated.' },
    reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
    message: { ...text, description: 'A human-readable explanation.' },
  },
  ['type', 'status'],
)

const schema: Schema = {
  ...objectSchema({
    spec: {
      ...structSchema('StorageVersionMigrationSpec', 'The resource to migrate.', {
        resource: { ...groupVersionResource, description: 'The resource. Immutable.' },
        continueToken: { ...text, description: 'Where the migrator resumes the list after a restart.' },
      }),
      description: 'The resource to migrate.',
    },
    status: {
      ...structSchema('StorageVersionMigrationStatus', 'The progress of a migration.', {
        conditions: { type: 'array', items: condition, description: 'Running, Succeeded or Failed.' },
        ...progressProperties,
      }),
      description: 'The progress.',
    },
  }),
  description: 'Rewrites every stored object of one resource in the current storage version.',
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
      description: 'The resource to migrate and the version that is used',
      cell: ({ spec }) => {
        const { group, version: versionName, resource } = spec?.resource ?? {}
        return [resource, versionName, group].filter(Boolean).join('.')
      },
    },
    textColumn('Status', 'Status of the migration', ({ status }) => stateOf(status?.conditions)),
    {
      name: 'Percent',
      type: 'integer',
      description: 'The progress in percent',
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
