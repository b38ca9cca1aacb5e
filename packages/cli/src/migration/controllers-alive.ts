import { ApiError, identityNamespace, leases } from '@strata/api'
import type { Client } from '@strata/client'
import { controllersLeaseName, Stillness } from '@strata/controllers'
import type { Clock } from '@strata/world'
import { type RoleFacts, roleTimes } from './decide-role.ts'

/** Looks whether controllers renew their Lease, by our own clock. At first sight they are taken to live. */
export function observeControllers(
  client: Client,
  clock: Clock,
): (signal: AbortSignal) => Promise<RoleFacts['controllers']> {
  const still = new Stillness(clock)
  return async (signal) => {
    try {
      const lease = await client
        .resource(leases, 'v1')
        .get({ namespace: identityNamespace, name: controllersLeaseName }, signal)
      if (!lease.spec?.holderIdentity) return 'absent'
      const unmovedForMs = still.unmovedForMs('', lease.metadata.resourceVersion ?? '')
      return unmovedForMs < roleTimes.silenceMs ? 'alive' : 'silent'
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return 'absent'
      // Who may not look at Leases sees it in whether the object moves.
      if (error instanceof ApiError && error.code === 403) return 'silent'
      throw error
    }
  }
}
