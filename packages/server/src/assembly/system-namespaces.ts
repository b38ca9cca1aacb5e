import { identityNamespace, type Namespace } from '@strata/api'
import { deadline, jitter, sleep } from '@strata/world'
import { create, type Registry, systemWrite } from '../registry/index.ts'

const systemNamespaces = ['default', identityNamespace, 'kube-public', 'kube-node-lease']

/** Creates the namespaces that clients rely on, and retries until they exist. */
export async function ensureNamespaces(registry: Registry, signal: AbortSignal): Promise<void> {
  const resource = registry.api.own('', 'v1', 'namespaces')
  // An aggregated server needs one for its Leases. All others are those of the aggregator.
  for (const name of registry.namespaceState ? [identityNamespace] : systemNamespaces) {
    while (resource) {
      const namespace: Namespace = { metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } }
      const limit = deadline(registry.world.clock, 10_000, signal)
      try {
        await create(registry, resource, '', namespace, systemWrite, limit.signal)
        break
      } catch (error) {
        if (signal.aborted) throw error
        if ((error as { reason?: string }).reason === 'AlreadyExists') break
        registry.world.log.warn('system namespace creation failed; retrying', { name, error: String(error) })
        await sleep(registry.world.clock, jitter(registry.world.random, 500, 0.5), signal)
      } finally {
        limit.dispose()
      }
    }
  }
}
