import { type AgreementStatus, commonWriteKey, writtenEncodings } from '@strata/api'

/** Under which agreement somebody wants objects to be written again. */
export interface WantedEpoch {
  readonly epoch: number
  readonly encodingVersion: string
}

/**
 * Whether the servers still write as they did when somebody decided to have everything written so. The epoch says it: it is
 * raised by every change of what is written (rule 10). Within one, a server may be away, or register again: then nothing is
 * agreed on for a while, and nothing else is written either.
 */
export function standsStill(status: AgreementStatus | undefined, wanted: WantedEpoch): boolean {
  if (!status || status.epoch !== wanted.epoch) return false
  // Rule 16: in several ways of writing one version there is no saying which bytes are right.
  if (writtenEncodings(status.encodings).length !== 1) return false
  // Rule 17: under which key, nobody says where nobody writes.
  if (commonWriteKey(status.servers) === undefined) return false
  if (status.agreedVersion !== undefined) return status.agreedVersion === wanted.encodingVersion
  return status.servers.every(({ encodingVersion }) => encodingVersion === wanted.encodingVersion)
}
