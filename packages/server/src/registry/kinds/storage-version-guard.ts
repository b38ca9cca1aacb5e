import { agreementName, forbidden, isKind, type StorageVersion, storageVersions } from '@strata/api'
import { equalJson, objectKey } from '../../codec/index.ts'
import { agreementKind, agreementPrefix, storageVersionKind } from '../../coordination/index.ts'
import { type Entry, type Guard, type Key, readOne } from '../../store/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import type { Plan, PlanContext } from '../write/write-object.ts'

/** What a client is about to make of a StorageVersion that the servers hold. Undefined: there is none, or none is left. */
export interface HeldChange {
  readonly stored: StorageVersion | undefined
  readonly next: StorageVersion | undefined
}

/**
 * Why a client may not change a StorageVersion that shows an agreement record; undefined if it may. Upstream lets
 * whoever is authorised write there that all servers agree, until some server writes it over minutes later
 * (behaviour.md, P12). Labels and annotations are anybody's, and a write that changes nothing is a migration.
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
 * Guards a write of a StorageVersion by the agreement record of that name, in the same transaction: whose the object is
 * may not change in between. Otherwise: no record stands, and a client's status is checked; a server registers, and
 * shows its record; the client's status is stored over it, and says what it likes of servers that are at work.
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

/** What this server serves is the servers' from the first moment, before any of them has registered it. */
function isServed({ api }: Registry, name: string): boolean {
  return api.resources.some(({ definition }) => !definition.isReview && agreementName(definition) === name)
}

export function isStorageVersion({ definition }: ServedResource): boolean {
  return isKind(definition, storageVersions)
}
