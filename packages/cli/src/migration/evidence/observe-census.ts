import { ApiError, type GroupResource, type StorageCensusStatus, storageCensuses } from '@strata/api'
import { type Client, isForbidden, isInvalid, isMethodNotAllowed, isNotFound } from '@strata/client'

/** What the servers said when they were asked to read the store, or why they did not. */
export type CensusAnswer =
  | { readonly kind: 'counted'; readonly status: StorageCensusStatus }
  /** Nobody reads the store for clients here. */
  | { readonly kind: 'not offered' }
  | { readonly kind: 'refused'; readonly because: string }

/** An exact reading of what is stored, where servers offer it. What may pass is thrown. */
export async function observeCensus(
  client: Client,
  { group, resource }: GroupResource,
  maxObjects: number,
  signal: AbortSignal,
): Promise<CensusAnswer> {
  const question = { metadata: {}, spec: { group, resource, maxObjects } }
  try {
    const { status } = await client
      .resource(storageCensuses, 'v1alpha1')
      .create(question, signal, { isLong: true })
    return status ? { kind: 'counted', status } : { kind: 'not offered' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isNotFound(error) || isMethodNotAllowed(error)) return { kind: 'not offered' }
    if (isForbidden(error) || isInvalid(error)) return { kind: 'refused', because: error.message }
    throw error
  }
}
