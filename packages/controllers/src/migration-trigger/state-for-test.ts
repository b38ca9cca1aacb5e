import type { StorageState } from '@strata/api'

/** A StorageState of CronJobs. */
export function storageState(status: NonNullable<StorageState['status']>): StorageState {
  return {
    metadata: { name: 'cronjobs.batch', uid: 'state', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { resource: { group: 'batch', resource: 'cronjobs' } },
    status,
  }
}
