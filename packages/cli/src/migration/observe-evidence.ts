import type { DiscoveredResource } from '@strata/client'
import type { Cluster } from './cluster.ts'
import { decideEvidence, type Evidence } from './decide-evidence.ts'
import { type CensusSight, observeCensus } from './observe-census.ts'

/** Everything that is known about what is stored of a resource, without writing anything. */
export async function observeEvidence(
  cluster: Cluster,
  resource: DiscoveredResource,
  signal: AbortSignal,
  { maxObjects = 0 }: { readonly maxObjects?: number } = {},
): Promise<Evidence> {
  // The target comes first: what is read afterwards is held against it, and not the other way round.
  const target = await cluster.observe(resource, signal)
  const census: CensusSight = cluster.isStrata
    ? await observeCensus(cluster.client, resource, maxObjects, signal)
    : { kind: 'not offered' }
  const past = census.kind === 'counted' ? [] : await (await cluster.records(resource)).readPast(signal)
  return decideEvidence({ target, census, past, asked: cluster.asked })
}
