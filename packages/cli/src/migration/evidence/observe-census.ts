import { ApiError, type GroupResource, type StorageCensus, type StorageCensusStatus } from '@strata/api'
import { type Client, isForbidden, isInvalid, isMethodNotAllowed, isNotFound } from '@strata/client'
import { censusKind, type DataAddresses } from '@strata/controllers'

/** The census of the store that the servers made, or why they made none. */
export type CensusAnswer =
  | { readonly kind: 'counted'; readonly status: StorageCensusStatus }
  /** No server offers a census. */
  | { readonly kind: 'not offered' }
  /** The user has no right to create a census, or to list the resource. */
  | { readonly kind: 'forbidden'; readonly because: string }
  | { readonly kind: 'refused'; readonly because: string }

/** The server's message, without the name of what was refused. */
export const missingRightIn = ({ message }: ApiError): string => message.replace(/^.*?\bforbidden: /, '')

/** An exact count of the stored objects, if the servers that store them offer it. Throws transient errors. */
export async function observeCensus(
  client: Client,
  offered: DataAddresses | undefined,
  { group, resource }: GroupResource,
  maxObjects: number,
  signal: AbortSignal,
): Promise<CensusAnswer> {
  if (offered === undefined) return { kind: 'not offered' }
  const question = { ...censusKind, metadata: {}, spec: { group, resource, maxObjects } }
  try {
    const { status } = await client
      .resource<StorageCensus>(offered.censuses)
      .create(question, signal, { isLong: true })
    return status ? { kind: 'counted', status } : { kind: 'not offered' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isNotFound(error) || isMethodNotAllowed(error)) return { kind: 'not offered' }
    if (isForbidden(error)) return { kind: 'forbidden', because: missingRightIn(error) }
    if (isInvalid(error)) return { kind: 'refused', because: error.message }
    throw error
  }
}
