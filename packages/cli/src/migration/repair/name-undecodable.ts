import { apiVersionOf, type GroupResource, groupResourceText } from '@strata/api'
import { type DiscoveredResource, isAbsence, isRequestFailure, type ObjectReference } from '@strata/client'
import type { World } from '@strata/world'
import { findStored } from '../../stored/find-stored.ts'
import { observeStore, type StoreSight, type StoreSource } from '../../stored/observe-store.ts'
import type { StoredResource } from '../../stored/store-tally.ts'
import type { Cluster } from '../resources/cluster.ts'
import { isUnreadableNow } from '../run/is-unreadable-now.ts'

export interface NamedUndecodable extends ObjectReference {
  readonly message: string
}

/** Where a server names none of the objects that it cannot decode, the store has their names; each is then asked for. */
export async function nameUndecodable(
  cluster: Cluster,
  resource: DiscoveredResource,
  source: StoreSource,
  most: number,
  { world, signal }: { readonly world: World; readonly signal: AbortSignal },
): Promise<readonly NamedUndecodable[]> {
  const { client, discovery } = cluster
  const name = groupResourceText(resource)
  const served = discovery.resources.filter((each) => groupResourceText(each) === name)
  const sight = await observeStore(source, discovery.resources, world, signal, most)
  const stored = storedIn(sight, resource)
  const decodable = new Set(served.map((each) => apiVersionOf(each.group, each.versionName)))
  const named: NamedUndecodable[] = []
  for (const each of suspects(stored, decodable, resource.namespaced).slice(0, most)) {
    try {
      await client.metadata(resource).get(each, signal)
    } catch (error) {
      if (signal.aborted || !isRequestFailure(error)) throw error
      if (isAbsence(error, resource, each.name)) continue
      if (isUnreadableNow(error)) named.push({ ...each, message: error.message })
    }
  }
  return named
}

/** A doubt of whose objects they are does no harm: a server is asked for each. */
export function storedIn(
  { resources, definitions }: Pick<StoreSight, 'resources' | 'definitions'>,
  resource: GroupResource,
): StoredResource | undefined {
  const name = groupResourceText(resource)
  const isCustom = definitions.some((each) => groupResourceText(each) === name)
  return findStored(resources, resource, isCustom).stored
}

/** What is stored in a served version is left out: a server decodes it. */
export function suspects(
  stored: Pick<StoredResource, 'parts'> | undefined,
  decodable: ReadonlySet<string>,
  namespaced: boolean,
): readonly ObjectReference[] {
  const parts = stored?.parts ?? []
  return parts
    .filter(({ apiVersion }) => apiVersion === undefined || !decodable.has(apiVersion))
    .flatMap(({ objects }) => objects)
    .map((object) => {
      const slash = object.indexOf('/')
      return namespaced && slash >= 0
        ? { namespace: object.slice(0, slash), name: object.slice(slash + 1) }
        : { name: object }
    })
}
