import {
  apiVersionOf,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
  storageVersionHash,
  storageVersionNameOf,
} from '@strata/api'
import { type Client, type DiscoveredResource, type Discovery, preferredResources } from '@strata/client'
import { isMigratable } from '../migrator/index.ts'

export interface HashPoll {
  /** By `<resource>.<group>`. Resources that could not be read now are missing, and stay as they were. */
  readonly hashes: ReadonlyMap<string, string>
  readonly resources: Discovery['resources']
  readonly failures: Discovery['failures']
}

/**
 * The storage version hashes of all resources that a server serves. A group that does not answer is left out, and the others
 * are still read (docs/reference/upstream-behaviour.md, K8): a dead aggregated server must not stop all heartbeats.
 */
export async function observeHashes(client: Client, signal: AbortSignal): Promise<HashPoll> {
  const { resources, failures } = await client.discover(signal)
  const preferred = preferredResources(resources).filter(isMigratable)
  const hashes = new Map<string, string>()
  const failed = [...failures]
  for (const { group, versionName } of distinctVersions(preferred)) {
    const here = preferred.filter((each) => each.group === group && each.versionName === versionName)
    try {
      for (const { name, storageVersionHash: hash } of await client.apiResources(
        { group, versionName },
        signal,
      )) {
        if (hash && here.some(({ resource }) => resource === name)) {
          hashes.set(groupResourceText({ group, resource: name }), hash)
        }
      }
    } catch (error) {
      if (signal.aborted) throw error
      failed.push({ groupVersion: apiVersionOf(group, versionName), why: String(error) })
    }
  }
  await addUnservedStorage(client, preferred, hashes, signal)
  return { hashes, resources, failures: failed }
}

function distinctVersions(
  resources: readonly DiscoveredResource[],
): readonly Pick<DiscoveredResource, 'group' | 'versionName'>[] {
  const seen = new Map(resources.map((each) => [apiVersionOf(each.group, each.versionName), each]))
  return [...seen.values()]
}

/** Upstream shows no hash for a CRD whose storage version is not served, and migrators skip it (X14). */
async function addUnservedStorage(
  client: Client,
  preferred: readonly DiscoveredResource[],
  hashes: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const missing = preferred.filter(
    ({ group, ...each }) => group.includes('.') && !hashes.has(keyOf({ group, ...each })),
  )
  if (missing.length === 0) return
  try {
    const { items } = await client.resource(customResourceDefinitions, 'v1').list({}, signal)
    for (const each of missing) {
      const definition = items.find(({ metadata }) => metadata.name === keyOf(each))
      const hash = definition && definedHash(definition)
      if (hash !== undefined) hashes.set(keyOf(each), hash)
    }
  } catch (error) {
    // The list of CRDs failed, for example without the right to it. The other hashes still count.
    if (signal.aborted) throw error
  }
}

function definedHash(definition: CustomResourceDefinition): string | undefined {
  const versionName = storageVersionNameOf(definition)
  const { group, names } = definition.spec
  return versionName && storageVersionHash(apiVersionOf(group, versionName), names.kind)
}

const keyOf = ({ group, resource }: GroupResource): string => groupResourceText({ group, resource })
