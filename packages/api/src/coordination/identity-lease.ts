import type { Lease } from './lease.ts'

/** Where the servers' identity Leases are. */
export const identityNamespace = 'kube-system'
/** Upstream's label; tools that look for API servers look for it. */
export const identityLabel = 'apiserver.kubernetes.io/identity'
export const identityLabelValue = 'kube-apiserver'
/** What people call the server: its `--instance`. An annotation, because a label could not hold every name. */
export const instanceAnnotation = 'strata.dev/instance'
/** Which release of our software it runs, or plays: for people, nothing is decided on it. */
export const releaseAnnotation = 'strata.dev/release'
/** How often the server means to renew. Who has waited longer may say that it is silent. */
export const renewIntervalAnnotation = 'strata.dev/renew-interval-seconds'
/** Which process holds it, so that others on the same machine can tell that it is gone. All our servers say so. */
export const processAnnotation = 'strata.dev/process'
/** `false` on a server whose gate StorageVersionAPI is off: what it writes stands in no record (rule 18). */
export const recordsWritesAnnotation = 'strata.dev/records-writes'
/**
 * `true` while every resource that the server's program has is registered: of what it has no entry for by then, it has
 * nothing. Absent while it starts and from the moment at which its entries begin to go.
 */
export const registeredAnnotation = 'strata.dev/registered'
/** How often kube-apiserver renews its identity Lease; it does not say so in it. */
export const upstreamRenewIntervalSeconds = 10

/**
 * Whether the server of an identity Lease records what it writes before it writes it. Of another program's, nobody knows:
 * it may have an entry, or none.
 */
export function recordsWrites({ metadata: { annotations = {} } }: Lease): boolean | undefined {
  if (annotations[recordsWritesAnnotation] === 'false') return false
  return annotations[processAnnotation] === undefined ? undefined : true
}

/** A Lease by which a server says that it is alive. Its name is the server's id. */
export function isIdentityLease({ metadata: { namespace, labels } }: Lease): boolean {
  return namespace === identityNamespace && labels?.[identityLabel] === identityLabelValue
}
