import { isIdentityLease } from '@strata/api'
import {
  describeFleet,
  type FleetFacts,
  type FleetStatus,
  leaderOf,
  rememberNumbers,
  rememberResources,
  triggerLeaseName,
} from '@strata/insight'
import type { Observed, Seen } from '../live/observed.ts'

/** What `strata status` would read now. */
function factsOf(observed: Observed): FleetFacts {
  const { records, leases, states, versioned, plain, served, unseen } = observed
  const lease = leases.objects.find(({ metadata }) => metadata.name === triggerLeaseName)
  const migrations = [objectsOf(versioned), objectsOf(plain)]
  const [some, others] = migrations
  return {
    records: records.objects,
    leases: leases.objects.filter(isIdentityLease),
    ...{ served, unseen },
    hasRecords: records.sight !== 'absent',
    trigger: {
      states: objectsOf(states),
      migrations: some && others && [...some, ...others],
      leader: leases.sight === 'seen' ? leaderOf(lease) : undefined,
    },
  }
}

/** A kind that is not served has no objects; one that may not be read may have some. */
function objectsOf<T>({ sight, objects }: Seen<T>): readonly T[] | undefined {
  return sight === 'seen' || sight === 'absent' ? objects : undefined
}

/** The same objects as before for what has not changed. */
const describe = rememberResources()

/** A server keeps its name for as long as the page is open. */
const numberServers = rememberNumbers()

export const statusOf = (observed: Observed, nowMs: number): FleetStatus => {
  // Before its Leases are seen a fleet has no instances, and another order.
  const isSeen = observed.leases.sight === 'seen'
  return describeFleet(
    { ...factsOf(observed), describe, numberServers: isSeen ? numberServers : undefined },
    nowMs,
  )
}
