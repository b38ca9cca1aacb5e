import { type GroupResource, groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'

export interface CandidateFacts {
  /** Every version of everything that is served, in the server's order. */
  readonly served: readonly DiscoveredResource[]
  /** By `<resource>.<group>`. Two groups have the same hash if their objects are stored in one place. */
  readonly hashes: ReadonlyMap<string, string>
  /** Groups of CRDs, and groups that an aggregated server serves. */
  readonly foreignGroups: ReadonlySet<string>
}

export interface Candidate extends GroupResource {
  /** The API version through which a migrator may access the objects. */
  readonly versionName: string
}

/**
 * Resources that may be stored in more than one version: built-in ones with at least two, in one group or in several
 * (docs/reference/upstream-behaviour.md, 3.6 and K1). Two resources of the same name are one only if their objects are stored in
 * one place. Upstream does not check that (X12).
 */
export function decideCandidates({ served, hashes, foreignGroups }: CandidateFacts): readonly Candidate[] {
  const found = new Map<string, DiscoveredResource[]>()
  for (const each of served) {
    const { group, resource, kind, verbs } = each
    if (foreignGroups.has(group) || resource === 'events' || resource.includes('/')) continue
    if (!verbs.includes('list') || !verbs.includes('update')) continue
    const key = `${resource} ${kind} ${hashes.get(groupResourceText({ group, resource })) ?? ''}`
    found.set(key, [...(found.get(key) ?? []), each])
  }
  return [...found.values()]
    .filter((each) => each.length > 1)
    .flatMap(([first]) =>
      first ? [{ group: first.group, resource: first.resource, versionName: first.versionName }] : [],
    )
}
