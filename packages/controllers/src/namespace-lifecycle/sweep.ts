import { type Client, type DiscoveredResource, preferredResources } from '@strata/client'
import type { Remains, Sweep } from './decide-namespace.ts'

/** Deletes everything in a namespace, and counts what is left. A failure of one resource does not stop the others. */
export async function sweepNamespace(client: Client, namespace: string, signal: AbortSignal): Promise<Sweep> {
  const { resources, failures: undiscovered } = await client.discover(signal)
  const remains: Remains[] = []
  const failures: string[] = []
  for (const resource of preferredResources(resources).filter(isContent)) {
    try {
      await removeAll(client, resource, namespace, signal)
      const left = await count(client, resource, namespace, signal)
      if (left.count > 0) remains.push(left)
    } catch (error) {
      signal.throwIfAborted()
      failures.push(
        `${resource.resource}.${resource.group}: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
  return {
    remains,
    failures,
    undiscovered: undiscovered.map(({ groupVersion, why }) => `${groupVersion}: ${why}`),
  }
}

/** Resources without list are computed, and those without delete cannot be removed. */
function isContent({ namespaced, verbs }: DiscoveredResource): boolean {
  return namespaced && verbs.includes('delete') && verbs.includes('list')
}

async function removeAll(
  client: Client,
  resource: DiscoveredResource,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const objects = client.metadata(resource)
  if (resource.verbs.includes('deletecollection')) {
    await objects.deleteCollection({ namespace, propagation: 'Background' }, signal)
    return
  }
  const { items } = await objects.list({ namespace }, signal)
  for (const { metadata } of items) {
    const { name = '', uid } = metadata
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    await objects.delete({ namespace, name }, { ...preconditions, propagation: 'Background' }, signal)
  }
}

async function count(
  client: Client,
  resource: DiscoveredResource,
  namespace: string,
  signal: AbortSignal,
): Promise<Remains> {
  const { items } = await client.metadata(resource).list({ namespace }, signal)
  const finalizers = new Map<string, number>()
  for (const { metadata } of items) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
  }
  return { resource, count: items.length, finalizers }
}
