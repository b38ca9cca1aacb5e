import type { ClientTrust } from '../delegation/index.ts'
import type { Authorities } from '../http/index.ts'

/** The CAs for `listen`. Also without one, clients are asked for certificates: an aggregated server learns the CAs later. */
export function clientAuthorities({ clientCa = '', requestHeader }: ClientTrust = {}): Authorities {
  return { clientCa, requestHeaderCa: requestHeader?.ca ?? '' }
}
