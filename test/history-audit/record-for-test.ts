import type { AgreementEntry, StorageVersionStatus } from '@strata/api'
import { projectStorageVersion } from '@strata/server/coordination'

/** The StorageVersion status for these entries. */
export const shownFor = (entries: readonly AgreementEntry[]): StorageVersionStatus =>
  projectStorageVersion(
    entries.filter(({ refusesWrites }) => !refusesWrites),
    undefined,
    '2026-01-01T00:00:00Z',
  )
