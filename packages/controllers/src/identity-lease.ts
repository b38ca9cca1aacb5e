import { identityNamespace } from '@strata/api'

/** The key of a server's identity Lease in an informer's store. */
export function identityLeaseKey(serverID: string): string {
  return `${identityNamespace}/${serverID}`
}
