import {
  type DiscoveredResource,
  isAbsence,
  isConflict,
  isForbidden,
  isInternalError,
  isInvalid,
  isRequestFailure,
  mayHaveActed,
  type ObjectReference,
} from '@strata/client'
import { deadline } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { explain } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { Cluster } from '../resources/cluster.ts'
import type { RepairResult } from './repair-report.ts'

const requestMs = 60_000

/** Whether a deletion may have reached a server. */
export class Sending {
  isSent = false
}

interface Sent {
  readonly result: RepairResult
  /** Absent if it was deleted, and nothing is to be added. */
  readonly because?: string
}

/** Sends the deletion to the server whose connection was asked first, and looks for the object if no answer comes. */
export async function sendDeletion(
  cluster: Cluster,
  resource: DiscoveredResource,
  object: ObjectReference,
  { revision, sending }: { readonly revision: number | undefined; readonly sending: Sending },
  context: CliContext,
): Promise<Sent> {
  const { world, signal } = context
  const { servers } = await cluster.servers(signal)
  // Not the client of the cluster: it may turn to another server, which was not asked whether it sees the option.
  const client = servers[0]?.client ?? cluster.client
  const preconditions = revision === undefined ? undefined : { resourceVersion: String(revision) }
  const limit = deadline(world.clock, requestMs, signal)
  try {
    signal.throwIfAborted()
    sending.isSent = true
    await client.resource(resource).delete(object, { ignoresReadError: true, preconditions }, limit.signal)
    return { result: 'deleted' }
  } catch (error) {
    if (signal.aborted || !isRequestFailure(error)) throw error
    if (mayHaveActed(error)) return await lookAfter(cluster, resource, object, context, error)
    return { result: 'refused', because: refusalText(error, cluster) }
  } finally {
    limit.dispose()
  }
}

/**
 * Why a server would not see the option; undefined if each one does, so that it does not matter which of them gets the deletion.
 * Without the feature gate a server ignores it, and deletes an object that it can decode by now as any other. One that sees it
 * refuses it in a dry run, which changes nothing in any case.
 */
export async function observeBlindness(
  cluster: Cluster,
  resource: DiscoveredResource,
  object: ObjectReference,
  { world, signal }: CliContext,
): Promise<string | undefined> {
  const { servers } = await cluster.servers(signal)
  for (const { client } of servers) {
    const limit = deadline(world.clock, requestMs, signal)
    try {
      await client.resource(resource).delete(object, { ignoresReadError: true, dryRun: true }, limit.signal)
      return `it can be decoded by now, or a server does not see the option: ${gateText(cluster)}`
    } catch (error) {
      if (signal.aborted || !isRequestFailure(error)) throw error
      if (!isInvalid(error)) return refusalText(error, cluster)
    } finally {
      limit.dispose()
    }
  }
  return undefined
}

const gateText = ({ isStrata }: Pick<Cluster, 'isStrata'>): string =>
  `give every ${isStrata ? 'strata serve' : 'kube-apiserver'} --feature-gates=AllowUnsafeMalformedObjectDeletion=true`

/** No answer came to the deletion: only an object that is gone shows that it was done. */
async function lookAfter(
  { client }: Cluster,
  resource: DiscoveredResource,
  object: ObjectReference,
  { world, signal }: CliContext,
  error: unknown,
): Promise<Sent> {
  const limit = deadline(world.clock, requestMs, signal)
  try {
    await client.metadata(resource).get(object, limit.signal)
  } catch (second) {
    if (signal.aborted) throw second
    if (isAbsence(second, resource, object.name))
      return { result: 'deleted', because: 'no answer came to the deletion, and it is gone' }
  } finally {
    limit.dispose()
  }
  const why = error instanceof Error ? error.message : String(error)
  return { result: 'unknown', because: `the deletion was sent, and no answer came (${why}): run it again` }
}

/** What the server said, and what follows from it. */
function refusalText(error: unknown, cluster: Pick<Cluster, 'isStrata'>): string {
  const { message } = error as Error
  if (isConflict(error)) return `it was written again since its bytes were read: run it again (${message})`
  if (isForbidden(error))
    return `not allowed: it needs the verbs delete and unsafe-delete-ignore-read-errors of the resource (${message})`
  if (isInvalid(error)) return `the server does not delete it so: ${message}`
  if (isInternalError(error))
    return `the server does not delete what it cannot read: ${gateText(cluster)} (${message})`
  const explained = explain('it could not be deleted', error, exitCodes.notSeen)
  return explained instanceof Error ? explained.message : String(explained)
}
