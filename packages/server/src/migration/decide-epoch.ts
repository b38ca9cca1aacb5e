import { type AgreementStatus, commonWriteKey, writtenEncodings } from '@strata/api'

/** The agreement under which a caller wants objects to be rewritten. */
export interface WantedEpoch {
  readonly epoch: number
  readonly encodingVersion: string
}

/**
 * Whether the servers still write as they did when the migration was decided. Every change of the encoding raises the epoch (rule
 * 10). Within one epoch a server may be away, or register again: then nothing is agreed on for a while, and nothing else is
 * written either.
 */
export function standsStill(status: AgreementStatus | undefined, wanted: WantedEpoch): boolean {
  if (!status || status.epoch !== wanted.epoch) return false
  // Rule 16: with several encoders for one version it is undefined which bytes are right.
  if (writtenEncodings(status.encodings).length !== 1) return false
  // Rule 17: without writers, or with several keys, there is no common write key.
  if (commonWriteKey(status.servers) === undefined) return false
  if (status.agreedVersion !== undefined) return status.agreedVersion === wanted.encodingVersion
  return status.servers.every(({ encodingVersion }) => encodingVersion === wanted.encodingVersion)
}
