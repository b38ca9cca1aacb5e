import { nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { metaPackage } from '../machinery/field-schemas.ts'
import { identityVersion, objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import { conditionsSchema, type StatusCondition } from '../meta/condition.ts'
import type { ApiObject } from '../meta/object.ts'
import { type MigrationProgress, progressProperties } from '../migration/migration-progress.ts'
import {
  validateMigration,
  validateMigrationStatusUpdate,
  validateMigrationUpdate,
} from './validate-migration.ts'

export interface StorageVersionMigrationStatus extends MigrationProgress {
  readonly conditions?: readonly StatusCondition[]
  /** The resourceVersion at which the migration started. Objects written later need no migration. */
  readonly resourceVersion?: string
}

/** Upstream's own migrations (KEP-4192): every object of one resource is to be written again. */
export interface StorageVersionMigration extends ApiObject {
  spec: { readonly resource: { readonly group: string; readonly resource: string } }
  status: StorageVersionMigrationStatus
}

const groupResource = structSchema(
  `${metaPackage}.GroupResource`,
  'A group and a resource.',
  {
    group: { ...text, default: '', description: 'The group; empty for the core group.' },
    resource: { ...text, default: '', description: 'The plural name.' },
  },
  ['group', 'resource'],
)

const spec = structSchema(
  'StorageVersionMigrationSpec',
  'The resource to migrate.',
  { resource: { ...groupResource, default: {}, description: 'The resource. Immutable.' } },
  ['resource'],
)

const status = structSchema('StorageVersionMigrationStatus', 'The progress of a migration.', {
  conditions: { ...conditionsSchema, description: 'Running, Succeeded or Failed.' },
  resourceVersion: {
    ...text,
    description:
      'The resourceVersion at which the migration started. Newer objects need no migration. Immutable.',
  },
  ...progressProperties,
})

const schema: Schema = {
  ...objectSchema({
    spec: { ...spec, default: {}, description: 'The resource to migrate.' },
    status: { ...status, default: {}, description: 'The progress.' },
  }),
  description: 'Rewrites every stored object of one resource in the current storage version.',
}

export const storageVersionMigrations = defineResource<StorageVersionMigration>({
  group: 'storagemigration.k8s.io',
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  scope: 'Cluster',
  typed: true,
  // v1 came with 1.37, has the same shape, and is not needed yet: clients of 1.35 and 1.36 that use the
  // preferred version get the one they know, and servers of both kinds can read what is stored.
  versions: {
    v1beta1: identityVersion<StorageVersionMigration>(schema),
    v1: identityVersion<StorageVersionMigration>(schema),
  },
  preferredStorageVersion: 'v1beta1',
  storagePrefix: 'storageversionmigrations',
  subresources: { status: true },
  columns: [
    // Upstream's printer does not mark this one as a name.
    { ...nameColumn, format: '' },
    textColumn('Resource', 'GroupResource to migrate', ({ spec }) => resourceText(spec?.resource)),
    textColumn('Status', 'Status of the migration', ({ status }) => stateOf(status?.conditions)),
  ],
  strategy: {
    prepareForCreate: (migration) => {
      migration.status = {}
    },
    prepareForUpdate: (migration, stored) => {
      migration.status = structuredClone(stored.status)
    },
    validate: validateMigration,
    validateUpdate: validateMigrationUpdate,
    validateStatusUpdate: validateMigrationStatusUpdate,
  },
})

/** `things.example.dev`; of the core group, `secrets`. */
function resourceText(resource: StorageVersionMigration['spec']['resource'] | undefined): string {
  if (!resource) return ''
  return resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`
}

/** The reason why one that has begun and not ended does not run. */
export const migrationPaused = 'MigrationPaused'

interface Said {
  readonly type: string
  readonly status: string
  readonly reason?: string
}

/** The last of the three that is so. */
export function stateOf(conditions: readonly Said[] = []): string {
  const isState = ({ type, status }: Said): boolean =>
    status === 'True' && ['Running', 'Succeeded', 'Failed'].includes(type)
  const isPaused = conditions.some(({ type, reason }) => type === 'Running' && reason === migrationPaused)
  return conditions.findLast(isState)?.type ?? (isPaused ? 'Paused' : 'Unknown')
}
