import { ApiError } from '@strata/api'
import { type DiscoveredResource, isForbidden } from '@strata/client'
import type { Cluster } from '../resources/cluster.ts'
import { decideEvidence, type Evidence, type EvidenceFacts } from './decide-evidence.ts'
import { type CensusAnswer, missingRightIn, observeCensus } from './observe-census.ts'

/** Everything that is known about what is stored of a resource, without writing anything. */
export async function observeEvidence(
  cluster: Cluster,
  resource: DiscoveredResource,
  signal: AbortSignal,
  { maxObjects = 0 }: { readonly maxObjects?: number } = {},
): Promise<Evidence> {
  // The target comes first: what is read afterwards is held against it, and not the other way round.
  const target = await cluster.observe(resource, signal)
  const offered = cluster.dataSide(resource)
  const census: CensusAnswer = await observeCensus(cluster.client, offered, resource, maxObjects, signal)
  const past = census.kind === 'counted' ? { past: [] } : await observePast(cluster, resource, signal)
  const isSealed = census.kind === 'counted' && census.status.unreadable > 0
  const lackedKeys = isSealed ? await cluster.observeLackedKeys(resource, signal) : []
  const isAggregated = cluster.isAggregated(resource)
  return decideEvidence({ target, census, ...past, asked: cluster.asked, lackedKeys, isAggregated })
}

/** A user who may not list migrations gets the reason, and the rest of the report. */
async function observePast(
  cluster: Cluster,
  resource: DiscoveredResource,
  signal: AbortSignal,
): Promise<Pick<EvidenceFacts, 'past' | 'pastUnseen'>> {
  try {
    return { past: await (await cluster.records(resource)).readPast(signal) }
  } catch (error) {
    if (!(error instanceof ApiError && isForbidden(error))) throw error
    return { past: [], pastUnseen: missingRightIn(error) }
  }
}
