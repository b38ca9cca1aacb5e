import type { Lease } from '@strata/api'

export const systemNamespace = 'kube-system'
const identityLabel = 'apiserver.kubernetes.io/identity'
const identityLabelValue = 'kube-apiserver'

/** A Lease by which a server says that it is alive. Its name is the server's id. */
export function isIdentityLease({ metadata: { namespace, labels } }: Lease): boolean {
  return namespace === systemNamespace && labels?.[identityLabel] === identityLabelValue
}

/** Where the Lease of a server stands in an informer's store. */
export function identityLeaseKey(serverID: string): string {
  return `${systemNamespace}/${serverID}`
}
