import { type AgreementStatus, commonWriteKey, isFenced, plainKey, writtenEncodings } from '@strata/api'

/** The encoding that all servers write, by a record. */
export interface AgreedEncoding {
  readonly epoch: number
  readonly encodingVersion: string
  /** The key that objects are encrypted under; absent if they are not. */
  readonly writeKey?: string
  readonly fenced: boolean
}

/**
 * The encoding that the servers agree on: one version, one key, one encoder (rules 11 and 16). Undefined if they do not. A server
 * that registers again keeps the epoch, and writes nothing meanwhile.
 */
export function agreedEncoding(status: AgreementStatus | undefined): AgreedEncoding | undefined {
  if (!status || status.agreedVersion === undefined) return undefined
  if (writtenEncodings(status.encodings).length !== 1) return undefined
  const writeKey = commonWriteKey(status.servers)
  if (writeKey === undefined) return undefined
  return {
    epoch: status.epoch,
    encodingVersion: status.agreedVersion,
    ...(writeKey === plainKey ? {} : { writeKey }),
    fenced: isFenced(status),
  }
}
