import { identityNamespace, leases } from '@strata/api'
import { type Client, isForbidden, isNotFound } from '@strata/client'
import { ChangeTimer, type ClaimFacts, claimTimes, migratorLeaseName } from '@strata/controllers'
import { type Clock, sleep } from '@strata/world'

/**
 * Looks whether whoever runs migrations renews the Lease, by our own clock. At first sight it is taken to live. Of other
 * controllers nothing follows: a reporter or a trigger would never come round to what is left to it.
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
      // Who may not look at Leases sees it in whether the object moves.
      if (isForbidden(error)) return 'silent'
      throw error
    }
  }
}

export type Renewal =
  | 'alive'
  /** Nobody holds it. */
  | 'absent'
  /** Somebody holds it, and does not renew it. */
  | 'stale'
  | 'unseen'

const lookEveryMs = 500
const usualDurationSeconds = 15

/**
 * Looks at the Lease of whoever runs migrations until it is renewed, for as long as that takes where somebody lives. Whoever
 * was killed leaves a Lease that names them, and the times in it are of another machine's clock.
 */
export async function observeRenewal(client: Client, clock: Clock, signal: AbortSignal): Promise<Renewal> {
  try {
    const first = await readLease(client, signal)
    if (!first.spec?.holderIdentity) return 'absent'
    const durationSeconds = first.spec.leaseDurationSeconds ?? usualDurationSeconds
    // Leaders renew several times before it would run out.
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
