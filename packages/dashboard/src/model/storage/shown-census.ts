import type { StorageAgreement, StorageCensusStatus } from '@strata/api'
import type { CensusSeen } from '../../live/census-taker.ts'

/**
 * What is shown of the censuses of a resource. At a moment of the past nothing that was counted only later; and no count
 * from before the record changed its epoch: servers may have written in another version since.
 */
export function decideShownCensus(
  seen: CensusSeen,
  record: StorageAgreement,
  momentMs: number | undefined,
): CensusSeen {
  if (momentMs !== undefined) return { samples: seen.samples.filter(({ atMs }) => atMs <= momentMs) }
  const { status, ...rest } = seen
  return status === undefined || isOfEpoch(status, record) ? seen : rest
}

/** A census without an epoch was taken while the servers did not agree. */
function isOfEpoch(census: StorageCensusStatus, { metadata, status }: StorageAgreement): boolean {
  if (census.agreedVersion !== status.agreedVersion) return false
  if (census.recordUID !== undefined && census.recordUID !== metadata.uid) return false
  return census.epoch === undefined || census.epoch === status.epoch
}
