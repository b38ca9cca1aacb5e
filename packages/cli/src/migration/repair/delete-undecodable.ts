import { agreementName, storageAgreements } from '@strata/api'
import { type DiscoveredResource, isForbidden, isNotFound, type ObjectReference } from '@strata/client'
import type { CliContext } from '../../context.ts'
import { observeSameCluster } from '../../inspect/observe-same-cluster.ts'
import { keysOfObject } from '../../stored/keys-of-object.ts'
import type { StoreSource } from '../../stored/observe-store.ts'
import { type SavedBytes, saveBytes } from '../../stored/save-bytes.ts'
import { type BytesSight, observeBytes, type StoredBytes } from '../../stored/stored-bytes.ts'
import { type Cluster, notSeenError } from '../resources/cluster.ts'
import { type DeletionDecision, decideDeletion, type RecordSight } from './decide-deletion.ts'
import { askedText } from './decide-readers.ts'
import { observeReaders } from './observe-readers.ts'
import type { RepairResult } from './repair-report.ts'
import { savedText } from './saved-text.ts'
import { observeBlindness, Sending, sendDeletion } from './send-deletion.ts'

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
  const record = await observeRecord(cluster, resource, signal)
  const keys = keysOfObject(source?.root ?? '', {
    resource,
    isCustom: isCustom === true,
    storagePrefix: record.kind === 'read' ? record.spec.storagePrefix : undefined,
    ...object,
  })
  const comparesRevision = cluster.isStrata && !cluster.isAggregated(resource)
  let asked = ''
  const decide = async (): Promise<DeletionDecision> => {
    const sight = source && (await observeBytes(source, resource, keys, world, signal))
    const strangeness = sight && (await observeStrangeness(cluster, sight, signal))
    const readers = await observeReaders(cluster, resource, object, context)
    asked = askedText(readers)
    return decideDeletion({ sight, keys, strangeness, comparesRevision, readers, record })
  }
  const decision = await decide()
  if (decision.do === 'refuse') return { result: 'refused', because: decision.because }
  const { bytes } = decision
  const blind = await observeBlindness(cluster, resource, object, context)
  if (blind !== undefined) return { result: 'refused', because: blind }
  if (dryRun) {
    const because = `its ${bytes.value.length} bytes of revision ${bytes.revision} would be saved below ${directory}, and then deleted (${asked})`
    return { result: 'would be deleted', because }
  }
  const saved = trySave(directory, bytes)
  if (typeof saved === 'string') return { result: 'refused', because: saved }
  const sending = new Sending()
  try {
    // A server may have got the key meanwhile, and kube-apiserver deletes whatever it cannot read by then.
    const again = await decide()
    if (again.do === 'refuse') return { result: 'refused', because: again.because, saved }
    if (again.bytes.revision !== bytes.revision)
      return { result: 'refused', because: 'its bytes changed while they were saved: run it again', saved }
    const blindNow = await observeBlindness(cluster, resource, object, context)
    if (blindNow !== undefined) return { result: 'refused', because: blindNow, saved }
    const revision = comparesRevision ? bytes.revision : undefined
    const sent = await sendDeletion(cluster, resource, object, { revision, sending }, context)
    const because = sent.because ?? `${savedText(saved)}; ${asked}`
    return { result: sent.result, because, saved }
  } catch (error) {
    // Whatever happens, the file is named: it may be the only copy by now.
    return { ...brokenOff(error, sending, signal), saved }
  }
}

function brokenOff(error: unknown, { isSent }: Sending, signal: AbortSignal): Deletion {
  if (!signal.aborted)
    return { result: 'not seen', because: notSeenError('it could not be deleted', error).message }
  return isSent
    ? { result: 'unknown', because: 'it was stopped after the deletion was sent: run it again' }
    : { result: 'set aside', because: 'it was stopped before the deletion was sent' }
}

/** Or why not: a full disk, a name that is too long, a file with other bytes. */
function trySave(directory: string, bytes: StoredBytes): SavedBytes | string {
  try {
    return saveBytes(directory, bytes)
  } catch (error) {
    return `its bytes could not be saved, so nothing was deleted: ${(error as Error).message}`
  }
}

async function observeStrangeness(
  cluster: Cluster,
  { signs, source }: BytesSight,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reading = { from: 'etcd', source, revision: 0, isExact: true } as const
  return observeSameCluster(cluster, { signs, reading }, signal)
}

/** The record of Strata's servers says where they keep a resource, and what each of them reads. */
async function observeRecord(
  { client, isStrata }: Cluster,
  resource: DiscoveredResource,
  signal: AbortSignal,
): Promise<RecordSight> {
  if (!isStrata) return { kind: 'none' }
  try {
    const records = client.resource(storageAgreements, 'v1alpha1')
    const { spec, status } = await records.get({ name: agreementName(resource) }, signal)
    return { kind: 'read', spec, status }
  } catch (error) {
    if (isForbidden(error)) return { kind: 'not allowed' }
    if (isNotFound(error)) return { kind: 'none' }
    throw error
  }
}
