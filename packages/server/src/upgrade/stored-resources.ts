import { type AgreementStatus, type GroupResource, groupResourceText } from '@strata/api'
import { type Codec, resourcePrefix } from '../codec/index.ts'
import { agreementKey, agreementPrefix, storedAgreement } from '../coordination/index.ts'
import type { ServedApi } from '../registry/index.ts'
import type { Key } from '../store/index.ts'
import type { Collection, WatchCache } from '../watch-cache/index.ts'
import { readVersions } from './read-versions.ts'

/** A resource that may have stored objects. */
export interface StoredResource extends GroupResource {
  /** The codec of a served resource; undefined if there is only a record. */
  readonly codec: Codec | undefined
  readonly status: AgreementStatus | undefined
  /** Reads every object; undefined if this server does not cache them. */
  readonly read: () => readonly string[] | undefined
}

/** Every built-in resource, every custom resource, and every other one with an agreement record. */
export function storedResources(
  api: Pick<ServedApi, 'codecs' | 'resources'>,
  cache: WatchCache,
): readonly StoredResource[] {
  const custom = api.resources.filter(({ definition }) => definition.isCustom).map(({ codec }) => codec)
  const found = new Map<string, StoredResource>()
  for (const codec of [...api.codecs, ...custom]) {
    const { group, resource } = codec.definition
    const entry = cache.collection(agreementPrefix).get(agreementKey(codec.definition))
    found.set(groupResourceText(codec.definition), {
      ...{ group, resource, codec },
      status: storedAgreement(entry)?.record.status,
      read: () => versionsIn(cache, resourcePrefix(codec.definition)),
    })
  }
  const records = cache.collection(agreementPrefix).range(agreementPrefix)
  for (let index = 0; index < records.count; index++) {
    const record = storedAgreement(records.at(index))?.record
    if (!record || found.has(groupResourceText(record.spec))) continue
    const { group, resource, storagePrefix } = record.spec
    const { status } = record
    found.set(groupResourceText(record.spec), {
      ...{ group, resource, codec: undefined, status },
      read: () =>
        storagePrefix === undefined ? undefined : versionsIn(cache, resourcePrefix({ storagePrefix })),
    })
  }
  return [...found.values()]
}

function versionsIn(cache: WatchCache, prefix: Key): readonly string[] | undefined {
  const collection = collectionOf(cache, prefix)
  return collection && readVersions(collection, prefix)
}

/** Some resources without a kind on this server are cached, and some are not. */
function collectionOf(cache: WatchCache, prefix: Key): Collection | undefined {
  try {
    return cache.collection(prefix)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
