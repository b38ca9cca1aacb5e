import { namespaces } from '@strata/api'
import { type Client, isTransient, isUnanswered } from '@strata/client'
import { type Clock, deadline, TransportError } from '@strata/world'

/**
 * Which cluster a server is of: the uid of its namespace kube-system. Only a cluster that was restored from the backup of another
 * one has the same.
 */
export type ClusterIdentity =
  | { readonly kind: 'read'; readonly uid: string }
  /** The server answered, and does not say it. */
  | { readonly kind: 'hidden'; readonly because: string }

/** As long as one of several servers may take to answer. */
const readMs = 5_000

/** Throws if there is no answer: unknown is not hidden. */
export async function readIdentity(
  client: Client,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ClusterIdentity> {
  const limit = deadline(clock, readMs, signal)
  try {
    const { metadata } = await client.resource(namespaces, 'v1').get({ name: 'kube-system' }, limit.signal)
    const { uid } = metadata
    return uid ? { kind: 'read', uid } : { kind: 'hidden', because: 'its namespace kube-system has no uid' }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (limit.signal.aborted) throw new TransportError(`no answer within ${readMs / 1000} s`, 'no')
    if (isTransient(error) || isUnanswered(error)) throw error
    return { kind: 'hidden', because: (error as Error).message }
  } finally {
    limit.dispose()
  }
}
