import type { Lease } from '@strata/api'
import type { LeaderSight } from '../fleet/trigger-status.ts'

/** The Lease of the controllers that create migrations. */
export const triggerLeaseName = 'strata-storage-version-migration-trigger'

/** Whether its controllers run; `lease` is undefined if there is none. */
export function leaderOf(lease: Lease | undefined): LeaderSight {
  const { holderIdentity, renewTime: renewed, leaseDurationSeconds: durationSeconds = 15 } = lease?.spec ?? {}
  if (!holderIdentity) return { isHeld: false }
  return { isHeld: true, durationSeconds, ...(renewed ? { renewed } : {}) }
}
