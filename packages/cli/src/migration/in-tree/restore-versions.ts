import { type CustomResourceDefinition, customResourceDefinitions, groupResourceText } from '@strata/api'
import { isAbsence, isTransient } from '@strata/client'
import { deadline, sleep } from '@strata/world'
import { notSeenError } from '../resources/cluster.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import { outcomeOfPatch } from '../run/patch-outcome.ts'
import { type CrdBefore, decideRestored, type RestoreDecision } from './decide-restored.ts'

export type Restored =
  | RestoreDecision
  /** Sent or not, it is not known to be done. */
  | { readonly do: 'unknown'; readonly because: string; readonly wanted: readonly string[] }

const mostTries = 5
const betweenTriesMs = 500
const lookMs = 20_000

/** The CRD of a resource; undefined if the server said that there is none. */
export async function readCrdOf(
  { cluster: { client }, resource }: Pick<MigrationJob, 'cluster' | 'resource'>,
  signal: AbortSignal,
): Promise<CustomResourceDefinition | undefined> {
  // Groups of CRDs have a dot; a group without one is built in.
  if (!resource.group.includes('.')) return undefined
  const name = groupResourceText(resource)
  try {
    return await client.resource(customResourceDefinitions, 'v1').get({ name }, signal)
  } catch (error) {
    if (isAbsence(error, customResourceDefinitions, name)) return undefined
    throw error
  }
}

/**
 * Adds versions back to storedVersions that upstream has cut. Not ended by Ctrl-C: a user could remove a version from the CRD
 * that objects are stored in.
 */
export async function restoreVersions(job: MigrationJob, before: CrdBefore | undefined): Promise<Restored> {
  const { world } = job.context
  if (before === undefined) return decideRestored(undefined, undefined)
  const definitions = job.cluster.client.resource(customResourceDefinitions, 'v1')
  const name = groupResourceText(job.resource)
  let because = ''
  for (let tries = 1; tries <= mostTries; tries++) {
    const limit = deadline(world.clock, lookMs)
    try {
      const decision = decideRestored(before, await readCrdOf(job, limit.signal))
      if (decision.do !== 'restore') return decision
      const { guard, storedVersions } = decision
      const patch = { metadata: guard, status: { storedVersions } }
      await definitions.patch({ name }, patch, limit.signal, { subresource: 'status' })
      return decision
    } catch (error) {
      const outcome = outcomeOfPatch(error)
      because = notSeenError(`the status of ${name} could not be written`, error).message
      if (outcome === 'refused' && !isTransient(error)) break
    } finally {
      limit.dispose()
    }
    await sleep(world.clock, betweenTriesMs * tries)
  }
  return { do: 'unknown', because, wanted: before.storedVersions }
}
