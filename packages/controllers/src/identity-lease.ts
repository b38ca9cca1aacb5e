import { identityNamespace } from '@strata/api'

/** Where the Lease of a server stands in an informer's store. */
export function identityLeaseKey(serverID: string): string {
  return `${identityNamespace}/${serverID}`
}
