import {
  type ApiObject,
  forbidden,
  identityLabel,
  isIdentityLease,
  isKind,
  type Lease,
  leases,
  type ResourceDefinition,
  storageAgreements,
} from '@strata/api'
import { type Requester, resourceAccess } from './access.ts'
import type { Authorizer } from './authorizer.ts'

/**
 * A Lease with the identity label in kube-system counts as an API server: while it stands without an entry nothing is
 * agreed on, and no key is promoted (agreement.md, rules 11, 17 and 18). Our servers write theirs next to the store. So a
 * client that writes one needs the right to change agreement records too. Otherwise: a controller that may write
 * Leases in kube-system, for its leader election, keeps a whole fleet from agreeing, or ends a server by taking its Lease.
 */
export function checkIdentityLease(
  authorizer: Authorizer,
  write: {
    readonly definition: ResourceDefinition
    readonly requester: Requester
    readonly next: ApiObject
    readonly stored: ApiObject | undefined
  },
): void {
  const { definition, requester, next, stored } = write
  if (!isKind(definition, leases)) return
  if (!isIdentityLease(next as Lease) && !(stored && isIdentityLease(stored as Lease))) return
  const { group, resource } = storageAgreements
  if (authorizer.authorize(requester, resourceAccess('update', { group, resource })).allowed) return
  const why = `a Lease with the label ${identityLabel} in kube-system counts as an API server; to write one, user ${JSON.stringify(requester.name)} also needs the right to update ${resource}.${group}`
  throw forbidden(definition, next.metadata.name ?? '', why)
}
