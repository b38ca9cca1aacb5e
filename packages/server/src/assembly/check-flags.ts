import type { World } from '@strata/world'
import { ConfigurationProblem, defaultFeatureGates } from '../configuration/index.ts'
import { coordinationDefaults } from '../coordination/index.ts'
import { parseServiceMappings, type ServiceResolver } from '../services/index.ts'
import type { ServeOptions } from './serve-options.ts'

/** Rule 14: the collector must not remove a server that may still write without a guard. */
const looseLeaseSeconds = 60

/** A server that renews too seldom loses its entries while it runs. */
export function checkLeaseTiming({
  leaseDurationSeconds,
  renewIntervalSeconds,
  guarantee,
}: ServeOptions): void {
  const duration = leaseDurationSeconds ?? coordinationDefaults.leaseDurationSeconds
  const renew = renewIntervalSeconds ?? coordinationDefaults.renewIntervalSeconds
  if (guarantee === 'loose' && duration < looseLeaseSeconds) {
    throw new ConfigurationProblem(
      `--storage-version-guarantee loose: needs --identity-lease-duration-seconds of at least ${looseLeaseSeconds} (not ${duration}): a server may use an outdated record for that long`,
    )
  }
  if (renew > 0 && duration >= 3 * renew) return
  throw new ConfigurationProblem(
    `--identity-lease-renew-interval-seconds ${renew}: must be at least 1, and at most a third of --identity-lease-duration-seconds (${duration})`,
  )
}

/** Without these gates there are no identity Leases, or no records, to collect. */
export function runsCollectors({
  featureGates = defaultFeatureGates,
  collectsExpiredServers = true,
}: ServeOptions): boolean {
  return collectsExpiredServers && featureGates.StorageVersionAPI && featureGates.APIServerIdentity
}

/** Without the gate a server has no vote, and no entry that says how its writes are guarded. */
export function checkParticipation({
  featureGates = defaultFeatureGates,
  form,
  guarantee,
}: ServeOptions): void {
  if (featureGates.StorageVersionAPI) return
  const why = 'needs the feature gate StorageVersionAPI, which --feature-gates has switched off'
  if (form === 'vote') throw new ConfigurationProblem(`--storage-version-coordination vote: ${why}`)
  if (guarantee === 'loose') throw new ConfigurationProblem(`--storage-version-guarantee loose: ${why}`)
}

export function serviceResolver({ serviceAddresses = [] }: ServeOptions): ServiceResolver {
  const resolver = parseServiceMappings(serviceAddresses)
  if ('problem' in resolver) throw new ConfigurationProblem(`--service-address: ${resolver.problem}`)
  return resolver
}

export function warnAboutRecording(
  { featureGates = defaultFeatureGates }: ServeOptions,
  { log }: World,
): void {
  if (featureGates.StorageVersionAPI) return
  log.warn(
    'StorageVersionAPI=false: this server does not record its storage versions; while it runs there is no agreed version, and the objects that it writes must be migrated again',
  )
}

/** Servers that share a directory share its key. Servers on several machines need the flag. */
export function warnAboutKeys({ store, serviceAccountSigningKeyFile }: ServeOptions, { log }: World): void {
  if (store.kind !== 'etcd' || serviceAccountSigningKeyFile !== undefined) return
  log.warn(
    'service account tokens are signed with the key in --cert-dir; servers on other machines refuse them unless all servers have the same --service-account-signing-key-file',
  )
}
