import { type GroupResource, groupOfApiVersion } from '@strata/api'
import { coreGroupPrefixes, renamedPrefixes, sharesPrefix } from './key-place.ts'
import type { StoredResource } from './store-tally.ts'

export interface FoundStored {
  /** Everything below the prefix of the resource, also in versions of another group that shares it. */
  readonly stored?: StoredResource
  /** Why it is not known that these are the objects of the resource. */
  readonly doubt?: string
}

/**
 * The stored objects of a resource, by the prefix that its servers use. The group that a built-in prefix was given is that of most
 * objects below it, or a guess if they are encrypted: looked up by that, objects of a second group would count as absent.
 */
export function findStored(
  resources: readonly StoredResource[],
  { group, resource }: GroupResource,
  isCustom: boolean,
): FoundStored {
  const at = (prefix: string) => resources.find((each) => each.prefix === prefix)
  const own = at(`${group}/${resource}`)
  if (own || isCustom) return own ? { stored: own } : {}
  const core = group === '' ? coreGroupPrefixes.get(resource) : undefined
  const prefix = core ?? renamedPrefixes.get(resource) ?? resource
  const stored = at(prefix)
  if (!stored) return {}
  if (stored.group === group || sharesPrefix(prefix, group)) return withDoubt(stored)
  // The key names the core group. Others, such as pods.metrics.k8s.io, are of an aggregated server, which has its own store.
  if (coreGroupPrefixes.get(stored.resource) === prefix) return {}
  if (stored.identifiedBy === 'key, group unknown') return withDoubt(stored)
  return fits(stored, group) ? { stored } : { doubt: `${prefix} holds objects of ${typesIn(stored)}` }
}

function withDoubt(stored: StoredResource): FoundStored {
  if (stored.identifiedBy !== 'key, group unknown') return { stored }
  const doubt = `several groups may have ${stored.resource}, and the key ${stored.prefix} does not tell which`
  return { stored, doubt }
}

const fits = ({ parts }: StoredResource, group: string): boolean =>
  parts.some(({ apiVersion }) => apiVersion !== undefined && groupOfApiVersion(apiVersion) === group)

const typesIn = ({ parts, group }: StoredResource): string =>
  [...new Set(parts.flatMap(({ apiVersion }) => apiVersion ?? []))].join(', ') || `the group ${group}`
