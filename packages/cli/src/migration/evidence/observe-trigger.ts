import {
  ApiError,
  type ApiObject,
  identityNamespace,
  leases,
  storageStates,
  storageVersionMigrations,
  versionedMigrations,
} from '@strata/api'
import { type Client, isNotFound, isServerError, type ResourceClient } from '@strata/client'
import {
  type LeaderSight,
  leaderOf,
  type MigrationObject,
  type TriggerFacts,
  triggerLeaseName,
} from '@strata/insight'
import { type Clock, deadline } from '@strata/world'

/** The same time limit as for one of several servers that are asked for the agreement. */
const besideMs = 5_000

/**
 * Read beside the agreement, which it must neither hide nor delay. Parts that may not be read, or are not served, are left
 * out; parts about which no server answers are named. Throws only if the caller aborts.
 */
export async function observeTrigger(
  client: Client,
  clock: Clock,
  signal: AbortSignal,
): Promise<TriggerFacts> {
  const limit = deadline(clock, besideMs, signal)
  const unanswered = new Set<string>()
  const look = async <T>(what: string, ask: () => Promise<T>, none: T): Promise<T | undefined> => {
    try {
      return await ask()
    } catch (error) {
      // A kind that is not served has no objects; a kind that may not be read may have some.
      if (isNotFound(error)) return none
      if (!(error instanceof ApiError) || isServerError(error)) unanswered.add(what)
      return undefined
    }
  }
  const list = <T extends ApiObject>(resource: ResourceClient<T>): Promise<readonly T[] | undefined> =>
    look(resource.address.resource, async () => (await resource.list({}, limit.signal)).items, [])
  try {
    const [states, versioned, plain, leader] = await Promise.all([
      list(client.resource(storageStates, 'v1alpha1')),
      list(client.resource(versionedMigrations, 'v1alpha1')),
      list(client.resource(storageVersionMigrations, 'v1beta1')),
      look("the controllers' Lease", () => observeLeader(client, limit.signal), { isHeld: false }),
    ])
    signal.throwIfAborted()
    const migrations = versioned && plain && [...versioned, ...plain]
    return {
      states,
      migrations: migrations as unknown as readonly MigrationObject[] | undefined,
      leader,
      ...(unanswered.size === 0 ? {} : { unanswered: [...unanswered].sort() }),
    }
  } finally {
    limit.dispose()
  }
}

async function observeLeader(client: Client, signal: AbortSignal): Promise<LeaderSight> {
  const place = { namespace: identityNamespace, name: triggerLeaseName }
  return leaderOf(await client.resource(leases, 'v1').get(place, signal))
}
