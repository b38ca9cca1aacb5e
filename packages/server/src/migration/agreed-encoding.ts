import { type AgreementStatus, commonWriteKey, isFenced, plainKey, writtenEncodings } from '@strata/api'

/** What all servers write, as a record says. */
export interface AgreedEncoding {
  readonly epoch: number
  readonly encodingVersion: string
  /** The key that is written under; absent if nothing is encrypted. */
  readonly writeKey?: string
  readonly fenced: boolean
}

/**
 * What the servers agree on: one version, one key, one encoder (rules 11 and 16). Undefined where they do not. A server that
 * is registering again leaves the epoch alone, and writes nothing meanwhile.
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
