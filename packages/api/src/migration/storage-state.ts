import { ageColumn, ageOf, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import {
  identityVersion,
  integer,
  objectSchema,
  structSchema,
  text,
  textList,
  time,
} from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { persistedHashesOf, type StorageStateStatus, settledStatus } from './storage-state-status.ts'
import { validateState, validateStateStatus, validateStateUpdate } from './validate-storage-state.ts'

/** The storage versions that one resource may be stored in (KEP "Automated storage version migration"). */
export interface StorageState extends ApiObject {
  spec: { readonly resource: { readonly group?: string; readonly resource: string } }
  /** Absent until it is first written: nothing is known. */
  status?: StorageStateStatus
}

const groupResource = structSchema('GroupResource', 'A group and a resource.', {
  group: { ...text, description: 'The group; empty for the core group.' },
  resource: { ...text, description: 'The plural name.' },
})

const reportedHash = structSchema(
  'StorageVersionHash',
  'What one reporter read from the discovery documents of its API server.',
  {
    reporterID: { ...text, description: 'The leader election identity of the reporter.' },
    currentStorageVersionHash: { ...text, description: 'The storageVersionHash that the server publishes.' },
    lastHeartbeatTime: { ...time, description: 'When the reporter last read discovery.' },
  },
  ['reporterID', 'currentStorageVersionHash'],
)

const acceptedEpoch = structSchema('AcceptedEpoch', 'An epoch of one agreement record.', {
  recordUID: { ...text, description: 'The UID of the record.' },
  epoch: { ...integer, format: 'int64', description: 'The epoch.' },
})

const status = structSchema('StorageStateStatus', 'The versions that stored objects may be in.', {
  persistedStorageVersionHashes: {
    ...textList,
    'x-kubernetes-list-type': 'atomic',
    description:
      'The hashes of the storage versions that stored objects may be in. Contains "Unknown" until a migration has succeeded. A server that cannot decode all of them is unsafe to run.',
  },
  currentStorageVersionHash: {
    ...text,
    description:
      'The storageVersionHash in discovery. With reporters: the hash that all of them read, absent while they differ.',
  },
  lastHeartbeatTime: {
    ...time,
    description: 'When discovery was last read. With reporters, the oldest heartbeat.',
  },
  currentStorageVersionHashes: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['reporterID'],
    items: reportedHash,
    description: 'What the reporter of each server read. The two fields above are computed from it.',
  },
  accepted: {
    ...acceptedEpoch,
    description:
      'The persisted hashes leave out what the agreement record says was written before this epoch, because a migration that is bound to the epoch was accepted. The record itself still lists it.',
  },
})

const schema: Schema = {
  ...objectSchema(
    {
      spec: {
        ...structSchema('StorageStateSpec', 'The resource.', {
          resource: { ...groupResource, description: 'The resource. Immutable.' },
        }),
        description: 'The resource.',
      },
      status: { ...status, description: 'The versions that stored objects may be in.' },
    },
    ['spec'],
  ),
  description:
    'The versions that one resource may be stored in. The name is <resource>.<group>, or <resource> in the core group. If you delete it, the state becomes Unknown.',
}

/** Runs before validation: a malformed state stays as it is, and validation rejects it. */
function settle(state: StorageState): void {
  const { status } = state
  const isList = (value: unknown): boolean => value === undefined || Array.isArray(value)
  if (typeof status !== 'object' || status === null) return
  if (!isList(status.persistedStorageVersionHashes)) return
  const reported: unknown = status.currentStorageVersionHashes
  if (!isList(reported) || (reported as unknown[] | undefined)?.some((each) => !each)) return
  state.status = settledStatus(status)
}

export const storageStates = defineResource<StorageState>({
  group: 'migration.k8s.io',
  kind: 'StorageState',
  plural: 'storagestates',
  scope: 'Cluster',
  versions: { v1alpha1: identityVersion<StorageState>(schema, settle) },
  preferredStorageVersion: 'v1alpha1',
  // Where the instances of kube-storage-version-migrator's definition of the same name are, should there be some.
  storagePrefix: 'migration.k8s.io/storagestates',
  subresources: { status: true },
  columns: [
    nameColumn,
    textColumn(
      'Current',
      'The storageVersionHash that all servers publish',
      ({ status }) => status?.currentStorageVersionHash ?? '<none>',
    ),
    textColumn('Persisted', 'The hashes of the storage versions that stored objects may be in', (state) =>
      persistedHashesOf(state).join(','),
    ),
    textColumn('Heartbeat', 'The time since discovery was last read', ({ status }, nowMs) =>
      ageOf(status?.lastHeartbeatTime, nowMs),
    ),
    ageColumn,
  ],
  strategy: {
    tracksGeneration: true,
    prepareForCreate: (state) => {
      delete state.status
    },
    prepareForUpdate: (state, stored) => {
      if (stored.status) state.status = structuredClone(stored.status)
      else delete state.status
    },
    validateCreate: validateState,
    validateUpdate: validateStateUpdate,
    validateStatusUpdate: validateStateStatus,
  },
})
