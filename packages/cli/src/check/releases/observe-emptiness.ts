import { ApiError } from '@strata/api'
import type { Client, DiscoveredResource } from '@strata/client'
import type { BuiltInResource } from './stored-before.ts'

type Named = Pick<BuiltInResource, 'name' | 'group' | 'resource'>

/** Which of the resources have no objects: of those, nothing old can be stored. */
export async function observeEmptiness(
  client: Client,
  discovered: readonly DiscoveredResource[],
  resources: readonly Named[],
  signal: AbortSignal,
): Promise<{ readonly empty: ReadonlySet<string>; readonly unseen: readonly string[] }> {
  const empty = new Set<string>()
  const unseen: string[] = []
  for (const { name, group, resource } of resources) {
    const address = discovered.find((each) => each.group === group && each.resource === resource)
    if (!address) continue
    try {
      const { items } = await client.metadata(address).listPage({ limit: 1 }, signal)
      if (items.length === 0) empty.add(name)
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error
      unseen.push(`whether there are objects of ${name}: ${error.message}`)
    }
  }
  return { empty, unseen }
}
