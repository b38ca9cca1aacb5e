import { identityNamespace, leases } from '@strata/api'
import { type Client, isForbidden, isNotFound } from '@strata/client'
import { ChangeTimer, type ClaimFacts, claimTimes, migratorLeaseName } from '@strata/controllers'
import { type Clock, sleep } from '@strata/world'

/**
 * Observes whether the migration runner renews its Lease, by our own clock. It counts as alive until
 * the Lease is unchanged for `leaseSilenceMs`. Leases of other controllers do not count: a reporter or trigger runs no migrations.
 */
export function observeControllers(
  client: Client,
  clock: Clock,
): (signal: AbortSignal) => Promise<ClaimFacts['controllers']> {
  const still = new ChangeTimer(clock)
  return async (signal) => {
    try {
      const lease = await readLease(client, signal)
      if (!lease.spec?.holderIdentity) return 'absent'
      const unchangedForMs = still.unchangedForMs('', lease.metadata.resourceVersion ?? '')
      return unchangedForMs < claimTimes.leaseSilenceMs ? 'alive' : 'silent'
    } catch (error) {
      if (isNotFound(error)) return 'absent'
      // Without the right to read Leases, only the migration object shows whether a process works on it.
      if (isForbidden(error)) return 'silent'
      throw error
    }
  }
}

export type Renewal =
  | 'alive'
  /** The Lease has no holder. */
  | 'absent'
  /** The holder does not renew it. */
  | 'stale'
  | 'unseen'

const lookEveryMs = 500
const usualDurationSeconds = 15

/**
 * Waits until the migration runner renews its Lease, for at most half of its duration. A holder that was killed stays in the
 * Lease, and its times are of another machine's clock.
 */
export async function observeRenewal(client: Client, clock: Clock, signal: AbortSignal): Promise<Renewal> {
  try {
    const first = await readLease(client, signal)
    if (!first.spec?.holderIdentity) return 'absent'
    const durationSeconds = first.spec.leaseDurationSeconds ?? usualDurationSeconds
    // Leaders renew several times before a Lease expires.
    const endMs = clock.monotonicMs() + Math.min(durationSeconds, usualDurationSeconds) * 500
    while (clock.monotonicMs() < endMs) {
      await sleep(clock, lookEveryMs, signal)
      const { spec, metadata } = await readLease(client, signal)
      if (!spec?.holderIdentity) return 'absent'
      if (metadata.resourceVersion !== first.metadata.resourceVersion) return 'alive'
    }
    return 'stale'
  } catch (error) {
    return isNotFound(error) ? 'absent' : 'unseen'
  }
}

const readLease = (client: Client, signal: AbortSignal) =>
  client.resource(leases, 'v1').get({ namespace: identityNamespace, name: migratorLeaseName }, signal)
