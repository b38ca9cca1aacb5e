import { agreementName, storageAgreements } from '@strata/api'
import {
  type DiscoveredResource,
  isAbsence,
  isConflict,
  isForbidden,
  isInternalError,
  isInvalid,
  isNotFoundOrForbidden,
  isRequestFailure,
  mayHaveActed,
  type ObjectReference,
} from '@strata/client'
import { deadline } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { observeSameCluster } from '../../inspect/observe-same-cluster.ts'
import { explain } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { keysOfObject } from '../../stored/keys-of-object.ts'
import type { StoreSource } from '../../stored/observe-store.ts'
import { type SavedBytes, saveBytes } from '../../stored/save-bytes.ts'
import { type BytesSight, observeBytes, type StoredBytes } from '../../stored/stored-bytes.ts'
import type { Cluster } from '../resources/cluster.ts'
import { decideDeletion } from './decide-deletion.ts'
import type { RepairResult } from './repair-report.ts'

export interface DeleteOptions {
  readonly source: StoreSource | undefined
  readonly isCustom: boolean | undefined
  /** Where the bytes are saved. */
  readonly directory: string
  readonly dryRun: boolean
}

export interface Deletion {
  readonly result: RepairResult
  readonly because: string
  readonly saved?: SavedBytes
}

const requestMs = 60_000

/** Saves the bytes of an object that no server can decode, then deletes it. Without its bytes in a file, nothing is deleted. */
export async function deleteUndecodable(
  cluster: Cluster,
  resource: DiscoveredResource,
  object: ObjectReference,
  options: DeleteOptions,
  context: CliContext,
): Promise<Deletion> {
  const { source, isCustom, directory, dryRun } = options
  const { signal, world } = context
  if (source !== undefined && isCustom === undefined)
    return {
      result: 'refused',
      because: 'whether a CRD defines the resource could not be seen, so its key is unknown',
    }
  const storagePrefix = await observeStoragePrefix(cluster, resource, signal)
  const keys = keysOfObject(source?.root ?? '', {
    resource,
    isCustom: isCustom === true,
    storagePrefix,
    ...object,
  })
  const look = async (): Promise<BytesSight | undefined> =>
    source && observeBytes(source, keys, world, signal)
  const sight = await look()
  const takesRevision = cluster.isStrata && !cluster.isAggregated(resource)
  const decision = decideDeletion({
    ...{ sight, keys, takesRevision },
    strangeness: sight && (await observeStrangeness(cluster, sight, signal)),
  })
  if (decision.do === 'refuse') return { result: 'refused', because: decision.because }
  const { bytes } = decision
  const blind = await observeBlindness(cluster, resource, object, context)
  if (blind !== undefined) return { result: 'refused', because: blind }
  if (dryRun) {
    const because = `its ${bytes.value.length} bytes of revision ${bytes.revision} would be saved below ${directory}, and then deleted`
    return { result: 'would be deleted', because }
  }
  const saved = trySave(directory, bytes)
  if (typeof saved === 'string') return { result: 'refused', because: saved }
  if (!takesRevision) {
    // The server would delete whatever cannot be decoded by then. Only a write past all API servers could change it.
    const [now] = (await look())?.found ?? []
    if (now?.revision !== bytes.revision)
      return { result: 'refused', because: 'its bytes changed while they were saved: run it again', saved }
  }
  const preconditions = takesRevision ? { resourceVersion: String(bytes.revision) } : undefined
  const limit = deadline(world.clock, requestMs, signal)
  try {
    const asked = { ignoresReadError: true, preconditions }
    await cluster.client.resource(resource).delete(object, asked, limit.signal)
    return { result: 'deleted', because: savedText(saved), saved }
  } catch (error) {
    if (signal.aborted || !isRequestFailure(error)) throw error
    if (mayHaveActed(error)) return { ...(await lookAfter(cluster, resource, object, context, error)), saved }
    return { result: 'refused', because: refusalText(error, cluster), saved }
  } finally {
    limit.dispose()
  }
}

/** Or why not: a full disk, a name that is too long, a file with other bytes. */
function trySave(directory: string, bytes: StoredBytes): SavedBytes | string {
  try {
    return saveBytes(directory, bytes)
  } catch (error) {
    return `its bytes could not be saved, so nothing was deleted: ${(error as Error).message}`
  }
}

/**
 * Why the server would not see the option; undefined if it does. Without the feature gate a server ignores it, and deletes an
 * object that it can decode by now as any other. One that sees it refuses it in a dry run, which changes nothing in any case.
 */
async function observeBlindness(
  cluster: Cluster,
  resource: DiscoveredResource,
  object: ObjectReference,
  { world, signal }: CliContext,
): Promise<string | undefined> {
  const limit = deadline(world.clock, requestMs, signal)
  try {
    await cluster.client
      .resource(resource)
      .delete(object, { ignoresReadError: true, dryRun: true }, limit.signal)
    return `it can be decoded by now, or a server does not see the option: ${gateText(cluster)}`
  } catch (error) {
    if (signal.aborted || !isRequestFailure(error)) throw error
    return isInvalid(error) ? undefined : refusalText(error, cluster)
  } finally {
    limit.dispose()
  }
}

const gateText = ({ isStrata }: Pick<Cluster, 'isStrata'>): string =>
  `give every ${isStrata ? 'strata serve' : 'kube-apiserver'} --feature-gates=AllowUnsafeMalformedObjectDeletion=true`

/** How the bytes come back: the same key, by etcdctl. */
const savedText = ({ file, size, key }: SavedBytes): string =>
  `its ${size} bytes are in ${file} (etcdctl put ${key} < that file stores them again)`

/** No answer came to the deletion: only an object that is gone shows that it was done. */
async function lookAfter(
  { client }: Cluster,
  resource: DiscoveredResource,
  object: ObjectReference,
  { world, signal }: CliContext,
  error: unknown,
): Promise<Deletion> {
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

async function observeStrangeness(
  cluster: Cluster,
  { signs, source }: BytesSight,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reading = { from: 'etcd', source, revision: 0, isExact: true } as const
  return observeSameCluster(cluster, { signs, reading }, signal)
}

/** The record of Strata's servers says where they keep a resource. */
async function observeStoragePrefix(
  { client, isStrata }: Cluster,
  resource: DiscoveredResource,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!isStrata) return undefined
  try {
    const records = client.resource(storageAgreements, 'v1alpha1')
    return (await records.get({ name: agreementName(resource) }, signal)).spec.storagePrefix
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return undefined
    throw error
  }
}
