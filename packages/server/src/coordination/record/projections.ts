import {
  type AgreementStatus,
  type ApiObject,
  agreementName,
  type GroupResource,
  isJsonObject,
  type ObjectMeta,
  type StorageVersion,
  type StorageVersionBallot,
} from '@strata/api'
import { equalJson } from '../../codec/index.ts'
import type { Entry, Write } from '../../store/index.ts'
import {
  ballotKey,
  ballotKind,
  type FrozenKind,
  storageVersionKey,
  storageVersionKind,
} from '../frozen-kinds.ts'
import { projectStorageVersion } from './decide-agreement.ts'

/** The record that a projection shows, and the stored projection. */
export interface ProjectionFacts {
  readonly resource: GroupResource
  readonly previous: AgreementStatus | undefined
  readonly next: AgreementStatus
  /** The stored projection. */
  readonly entry: Entry | undefined
  readonly now: string
  readonly uid: () => string
}

/**
 * Writes the StorageVersion of KEP-2339. No write if it already shows the record: otherwise clients get watch events without a
 * change (rule 9).
 */
export function storageVersionWrites(facts: ProjectionFacts): Write[] {
  const { resource, previous, next, entry, now } = facts
  const key = storageVersionKey(resource)
  const wasHeld = (previous?.servers.length ?? 0) > 0
  if (next.servers.length === 0) {
    // As upstream, the object goes with its last entry. The record stays: its epoch must never go back. An object that a
    // client wrote while no server had an entry stays, too.
    return wasHeld && entry ? [{ kind: 'delete', key }] : []
  }
  const stored = entry && storageVersionKind.decode(entry)
  const projection: StorageVersion = {
    metadata: heldMetadata(stored?.metadata) ?? newMetadata(facts),
    spec: {},
    status: projectStorageVersion(next.servers, wasHeld ? stored?.status : undefined, now),
  }
  const value = storageVersionKind.encode(projection)
  return isShown(storageVersionKind, entry, value) ? [] : [{ kind: 'put', key, value }]
}

/** Writes the ballot of the vote KEP: it exists while a version is selected, also while there is no server (rule 12). */
export function ballotWrites(facts: ProjectionFacts): Write[] {
  const { resource, next, entry } = facts
  const key = ballotKey(resource)
  if (next.selectedVersion === undefined) return entry ? [{ kind: 'delete', key }] : []
  const stored = entry && ballotKind.decode(entry)
  const ballot: StorageVersionBallot = {
    metadata: stored?.metadata ?? newMetadata(facts),
    selectedVersion: next.selectedVersion,
    candidateVersions: next.servers.map(({ serverID, preferredVersion, encodingVersion }) => ({
      apiServerID: serverID,
      preferredVersion: preferredVersion ?? encodingVersion,
    })),
  }
  const value = ballotKind.encode(ballot)
  return isShown(ballotKind, entry, value) ? [] : [{ kind: 'put', key, value }]
}

/** Most changes of a record show nothing new: equal bytes need no decoding. */
function isShown<T extends ApiObject>(
  kind: FrozenKind<T>,
  entry: Entry | undefined,
  value: Uint8Array,
): boolean {
  if (!entry) return false
  return (
    Buffer.compare(entry.value, value) === 0 ||
    equalJson(kind.decode(entry), kind.decode({ ...entry, value }))
  )
}

function newMetadata({ resource, uid, now }: ProjectionFacts): ObjectMeta {
  return { name: agreementName(resource), uid: uid(), creationTimestamp: now }
}

/**
 * The metadata of the stored object, without finalizers, owners and managers of its status: a client may have created it
 * before any server had an entry. Undefined if a new object has to replace it.
 */
function heldMetadata(stored: ObjectMeta | undefined): ObjectMeta | undefined {
  if (!stored || stored.deletionTimestamp !== undefined) return undefined
  const { finalizers: _, ownerReferences: __, managedFields, ...kept } = stored
  const managers =
    managedFields?.filter((each) => !isJsonObject(each) || each['subresource'] !== 'status') ?? []
  return { ...kept, ...(managers.length === 0 ? {} : { managedFields: managers }) }
}
