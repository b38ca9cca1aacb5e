import {
  type ApiError,
  type ApiObject,
  forbidden,
  hasFleetName,
  hasServerName,
  identityLabel,
  isAggregatedLease,
  isKind,
  isServerLease,
  type Lease,
  leases,
  type ResourceDefinition,
  storageAgreements,
} from '@strata/api'
import { onceKnown } from '@strata/world'
import { type Requester, resourceAccess } from './access.ts'
import type { Authorizer } from './authorizer.ts'

/**
 * A Lease with the identity label in kube-system counts as an API server: while it exists without an entry nothing is agreed on,
 * and no key is promoted (docs/design/agreement.md, rules 11, 17 and 18). A Lease with the name of a server is where that server
 * looks for its identity. Our servers write theirs directly to the store. So a client that creates, changes or deletes one also
 * needs the right to change agreement records. Otherwise: a controller that may write Leases in kube-system, for its leader
 * election, keeps a whole fleet from agreeing; or it deletes the Lease of a server, creates another of that name, and the server
 * exits or does not start.
 *
 * Leases of aggregated servers, which their fleets write as clients (rule 15), need a right of their own. Without any: such a
 * controller renews the Lease of an aggregated server that is gone, and its entry stays; or it deletes the Leases of live ones.
 * With the right to change agreement records instead: an aggregated server that was taken over deletes the Leases of the
 * aggregator.
 */
export function checkIdentityLease(
  authorizer: Authorizer,
  write: {
    readonly definition: ResourceDefinition
    readonly requester: Requester
    /** Undefined for a deletion. */
    readonly next: ApiObject | undefined
    readonly stored: ApiObject | undefined
  },
): void | Promise<void> {
  const { definition, requester, next, stored } = write
  if (!isKind(definition, leases)) return
  const written = [next, stored].filter((each) => each !== undefined) as Lease[]
  const lease = written.find(isProtected)
  if (!lease) return
  const isMirrored = written.every(isMirroredLease)
  const may = (subresource: string) =>
    authorizer.authorize(requester, resourceAccess('update', { ...agreements, subresource }))
  const refuse = (): never => {
    throw leaseRefusal(definition, requester, lease, isMirrored)
  }
  const checkAll = (): void | Promise<void> =>
    onceKnown(may(''), ({ allowed }) => (allowed ? undefined : refuse()))
  if (!isMirrored) return checkAll()
  return onceKnown(may(mirror), ({ allowed }) => (allowed ? undefined : checkAll()))
}

const { group, resource } = storageAgreements
const agreements = { group, resource }
/** No path has this name: it is a right only. */
const mirror = 'mirror'

/** Both the label and the name are those of an aggregated server, so that the Lease cannot become one of this fleet. */
const isMirroredLease = (lease: Lease): boolean => isAggregatedLease(lease) && !hasFleetName(lease)

function leaseRefusal(
  definition: ResourceDefinition,
  requester: Requester,
  lease: ApiObject,
  isMirrored: boolean,
): ApiError {
  const what = isServerLease(lease as Lease)
    ? `a Lease with the label ${identityLabel} in kube-system counts as an API server`
    : 'a Lease of this name in kube-system is the identity of an API server'
  const why = `${what}; to write or delete one, user ${JSON.stringify(requester.name)} also needs the right to update ${resource}${isMirrored ? `/${mirror}` : ''}.${group}`
  return forbidden(definition, lease.metadata.name ?? '', why)
}

const isProtected = (lease: Lease): boolean => isServerLease(lease) || hasServerName(lease)
