import { agreementName, forbidden, isKind, type StorageVersion, storageVersions } from '@strata/api'
import { equalJson, objectKey } from '../../codec/index.ts'
import { agreementKind, agreementPrefix, storageVersionKind } from '../../coordination/index.ts'
import { type Entry, type Guard, type Key, readOne } from '../../store/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import type { Plan, PlanContext } from '../write/write-object.ts'

/**
 * A change that a client wants to make to a StorageVersion that the servers own. `stored` is undefined if it does not exist,
 * `next` if the client deletes it.
 */
export interface HeldChange {
  readonly stored: StorageVersion | undefined
  readonly next: StorageVersion | undefined
}

/**
 * Why a client may not change a StorageVersion that shows an agreement record; undefined if it may. Upstream lets any authorized
 * client write there that all servers agree, until some server overwrites it minutes later (docs/reference/upstream-behaviour.md,
 * P12). Clients may change labels and annotations, and a write that changes nothing is a migration.
 */
export function refuseHeldChange({ stored, next }: HeldChange): string | undefined {
  if (!stored) return `${whose} create it`
  if (!next) return `${whose} delete it`
  if (!equalJson(stored.status, next.status)) return `${whose} change its status`
  const own = ({ metadata: { finalizers = [], ownerReferences = [] } }: StorageVersion): unknown[] => [
    finalizers,
    ownerReferences,
  ]
  if (!equalJson(own(stored), own(next))) return `${whose} change its finalizers or ownerReferences`
  return undefined
}

const whose =
  'it shows what the API servers have recorded in the StorageAgreement of the same name; only the servers may'

/**
 * Guards a write of a StorageVersion by the agreement record of that name, in the same transaction. Otherwise:
 *
 * 1. There is no record, so the client's status is only validated.
 * 2. A server registers, and shows its record in the StorageVersion.
 * 3. The client's status is stored over it, and claims anything about live servers.
 */
export async function storageVersionGuards(
  registry: Registry,
  { definition }: ServedResource,
  key: Key,
  entry: Entry | undefined,
  wanted: Plan,
  { readStore, signal }: PlanContext,
): Promise<Guard[]> {
  const name = key.slice(key.lastIndexOf('/') + 1)
  const recordKey = objectKey(agreementKind.codec.definition, '', name)
  const cached = readStore ? undefined : registry.cache.collection(agreementPrefix).get(recordKey)
  const record = cached ?? (await readOne(registry.store, recordKey, signal))
  const isRecorded = record !== undefined && agreementKind.decode(record).status.servers.length > 0
  if (isRecorded || (registry.recordsWrites && isServed(registry, name))) {
    const why = refuseHeldChange({
      stored: entry && storageVersionKind.decode(entry),
      next: wanted.do === 'put' ? (wanted.hub as StorageVersion) : undefined,
    })
    if (why !== undefined) throw forbidden(definition, name, why)
  }
  return [{ key: recordKey, revision: record?.revision ?? 'absent' }]
}

/** The StorageVersions of served resources belong to the servers from the start, before the first registration. */
function isServed({ api }: Registry, name: string): boolean {
  return api.resources.some(({ definition }) => !definition.isReview && agreementName(definition) === name)
}

export function isStorageVersion({ definition }: ServedResource): boolean {
  return isKind(definition, storageVersions)
}
