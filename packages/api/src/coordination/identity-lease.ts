import type { Lease } from './lease.ts'

/** The namespace of the servers' identity Leases. */
export const identityNamespace = 'kube-system'
/** Upstream's label; tools that look for API servers look for it. */
export const identityLabel = 'apiserver.kubernetes.io/identity'
export const identityLabelValue = 'kube-apiserver'
/**
 * The value for servers behind an aggregator, in the aggregator's store. They have another store and other kinds: such a Lease
 * is in no record of the aggregator, and counts only for StorageVersions that name it (docs/design/agreement.md, rule 15).
 */
export const aggregatedIdentityLabelValue = 'aggregated-apiserver'
/** The `--instance` of the server. An annotation, because a label cannot hold every name. */
export const instanceAnnotation = 'strata.dev/instance'
/** The release of the server. `strata check` finds by it what a release can decode. No server decides on it. */
export const releaseAnnotation = 'strata.dev/release'
/** How often the server renews its Lease. After a longer time, an observer may call the server silent. */
export const renewIntervalAnnotation = 'strata.dev/renew-interval-seconds'
/** The process that holds the Lease, so that others on the same machine can tell that it is gone. All our servers set it. */
export const processAnnotation = 'strata.dev/process'
/** `false` on a server whose gate StorageVersionAPI is off: what it writes stands in no record (rule 18). */
export const recordsWritesAnnotation = 'strata.dev/records-writes'
/**
 * `true` while every resource that the server's program has is registered: of what it has no entry for by then, it has
 * nothing. Absent while it starts and from the moment at which its entries begin to go.
 */
export const registeredAnnotation = 'strata.dev/registered'
/**
 * The resources that the server does not serve because it cannot decode what is stored: their names, sorted, with commas
 * between them. Empty if there are none. Absent on a server of an older release, or one that has not checked yet. For people,
 * and for scripts that upgrade; no server decides on it.
 */
export const refusesAnnotation = 'strata.dev/refuses'
/** Stands for further names, if there are too many. */
export const refusesMore = '*'
/** `refused` while the configured encryption file is not in force. Only the server's own log and health check say why. */
export const encryptionFileAnnotation = 'strata.dev/encryption-file'
/** How often kube-apiserver renews its identity Lease; it does not say so in it. */
export const upstreamRenewIntervalSeconds = 10

/**
 * Whether the server of an identity Lease records its encodings before it writes. Unknown for the Lease of another program:
 * it may have an entry, or none.
 */
export function recordsWrites({ metadata: { annotations = {} } }: Lease): boolean | undefined {
  if (annotations[recordsWritesAnnotation] === 'false') return false
  return annotations[processAnnotation] === undefined ? undefined : true
}

/** Whether its server goes on with an older encryption configuration than its file has. */
export function refusesEncryptionFile({ metadata: { annotations = {} } }: Lease): boolean {
  return annotations[encryptionFileAnnotation] === 'refused'
}

/** A Lease by which a server says that it is alive. Its name is the server's id. */
export function isIdentityLease({ metadata: { namespace, labels } }: Lease): boolean {
  return namespace === identityNamespace && labels?.[identityLabel] === identityLabelValue
}

/** A Lease by which an aggregated server is shown to be alive, in the store of its aggregator. */
export function isAggregatedLease({ metadata: { namespace, labels } }: Lease): boolean {
  return namespace === identityNamespace && labels?.[identityLabel] === aggregatedIdentityLabelValue
}

/** A Lease of either kind. While it stands, the entries of its name in StorageVersions of clients are kept. */
export function isServerLease(lease: Lease): boolean {
  return isIdentityLease(lease) || isAggregatedLease(lease)
}

/** As `serverId` of the server makes them, and upstream: a hash of 16 bytes in base32. Mirrored ones: `mirroredServerId`. */
const serverIdForm = /^(?:aggregated-)?apiserver-[a-z2-7]{26}$/

/** Whether a Lease is where a server, or the mirror of an aggregated one, looks for its identity, whatever it says. */
export function hasServerName({ metadata: { namespace, name = '' } }: Lease): boolean {
  return namespace === identityNamespace && serverIdForm.test(name)
}

/** Whether a Lease is where a server of this fleet looks for its identity. */
export function hasFleetName(lease: Lease): boolean {
  return hasServerName(lease) && lease.metadata.name?.startsWith('apiserver-') === true
}

/** Bounds the size of the annotation. */
const refusesNamed = 200

export function refusesText(resources: readonly string[]): string {
  const sorted = [...resources].sort()
  const rest = sorted.length > refusesNamed ? [refusesMore] : []
  return [...sorted.slice(0, refusesNamed), ...rest].join(',')
}

/** The resources that the server of a Lease refuses; undefined if it does not report them. */
export function refusedResources({ metadata: { annotations = {} } }: Lease): readonly string[] | undefined {
  return annotations[refusesAnnotation]?.split(',').filter((name) => name !== '')
}
