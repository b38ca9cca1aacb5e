import { apiVersionOf, groupResourceText } from '@strata/api'
import type { DiscoveredResource, ResourceAddress } from '@strata/client'
import type { MigrationTarget } from './target.ts'

export interface MigrationAddress extends ResourceAddress {
  /** The first verb to rewrite an object with. */
  readonly way: 'patch' | 'update'
}

export type AddressDecision =
  | { readonly kind: 'served'; readonly address: MigrationAddress }
  | { readonly kind: 'not migratable'; readonly because: string }

/**
 * Decides through which version a resource is rewritten: its storage version, if that is served. Through another version, a CRD
 * without a conversion would prune fields that only the stored version has. Otherwise the version that the server prefers now,
 * not the one when the migration was requested (docs/reference/upstream-behaviour.md, X8 and X14).
 */
export function decideAddress(
  { resource, encodingVersion }: MigrationTarget,
  served: readonly DiscoveredResource[],
): AddressDecision {
  const candidates = served.filter(
    (each) => each.group === resource.group && each.resource === resource.resource,
  )
  const text = groupResourceText(resource)
  if (candidates.length === 0) return { kind: 'not migratable', because: `${text} is not served` }
  const usable = candidates.filter(isMigratable)
  const chosen =
    usable.find((each) => apiVersionOf(each.group, each.versionName) === encodingVersion) ?? usable[0]
  if (chosen === undefined) {
    return { kind: 'not migratable', because: `${text} cannot be listed and written` }
  }
  const { group, versionName, resource: plural, kind, verbs } = chosen
  const way = verbs.includes('patch') ? 'patch' : 'update'
  return { kind: 'served', address: { group, versionName, resource: plural, kind, way } }
}

/** A migration lists objects and writes them. */
export function isMigratable({ verbs }: Pick<DiscoveredResource, 'verbs'>): boolean {
  return verbs.includes('list') && (verbs.includes('patch') || verbs.includes('update'))
}
