import { isIdentityLease } from '@strata/api'
import { kindAddresses, kindNames } from '../live/kind-addresses.ts'
import type { KindName, Observed } from '../live/observed.ts'

/** What the page can show at all. */
export type PageSight =
  /** No answer yet. */
  | { readonly kind: 'connecting'; readonly problem?: string }
  | { readonly kind: 'refused'; readonly resources: readonly string[] }
  /** Another Kubernetes API server: it keeps no agreement records. */
  | { readonly kind: 'foreign' }
  /** Nothing has a Lease or an entry. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'fleet'; readonly servers: number }

export function decideSight(observed: Observed): PageSight {
  const { records, leases, unseen } = observed
  if (records.sight === 'absent') return { kind: 'foreign' }
  const refused = refusedKinds(observed, ['records', 'leases'])
  if (refused.length > 0) return { kind: 'refused', resources: refused }
  // Also for what counts for the sentence only: it would first say something else, and then correct itself.
  if (kindNames.some((kind) => observed[kind].sight === 'waiting'))
    return { kind: 'connecting', ...(unseen ? { problem: unseen.because } : {}) }
  const servers = leases.objects.filter(isIdentityLease).length
  return servers === 0 && records.objects.length === 0 ? { kind: 'empty' } : { kind: 'fleet', servers }
}

/** Those of these kinds that this user may not read. */
export const refusedKinds = (observed: Observed, kinds: readonly KindName[]): readonly string[] =>
  kinds.filter((kind) => observed[kind].sight === 'refused').map(nameOf)

/** As in a role: `storageagreements.strata.dev`. */
function nameOf(kind: KindName): string {
  const { group, resource } = kindAddresses[kind]
  return `${resource}.${group}`
}
