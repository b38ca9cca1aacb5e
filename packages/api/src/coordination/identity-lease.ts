import type { Lease } from './lease.ts'

/** Where the servers' identity Leases are. */
export const identityNamespace = 'kube-system'
/** Upstream's label; tools that look for API servers look for it. */
export const identityLabel = 'apiserver.kubernetes.io/identity'
export const identityLabelValue = 'kube-apiserver'

/** A Lease by which a server says that it is alive. Its name is the server's id. */
export function isIdentityLease({ metadata: { namespace, labels } }: Lease): boolean {
  return namespace === identityNamespace && labels?.[identityLabel] === identityLabelValue
}
