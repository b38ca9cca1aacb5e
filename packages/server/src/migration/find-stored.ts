import type { GroupResource, ResourceDefinition, StorageAgreement } from '@strata/api'
import { type Codec, resourcePrefix, storageRoot } from '../codec/index.ts'
import { agreementKey, agreementKind } from '../coordination/index.ts'
import type { ServedApi, ServedResource } from '../registry/index.ts'
import { type Key, type Revision, readOne, type Store } from '../store/index.ts'

/** A resource as it lies in the store. */
export interface StoredResource {
  /** By whose name the servers agree; a resource that two groups serve has one of them. */
  readonly agreed: GroupResource
  readonly prefix: Key
  readonly scope: ResourceDefinition['scope']
  /** Undefined if this server does not have the kind, and knows only where its objects lie. */
  readonly codec: Codec | undefined
  /** How this server works with objects that are to be stored in that version, whether or not that one is served. */
  inVersion(apiVersion: string): ServedResource | undefined
}

export interface StoredRecord {
  readonly record: StorageAgreement
  readonly revision: Revision
}

export interface FindOptions {
  readonly api: ServedApi
  /** How instances of a custom resource are stored, served or not. */
  readonly instancesOf: (resource: GroupResource) => ServedResource | undefined
}

/** What this server has: kinds of its own, by way of whichever group, and what is defined. */
export function findStored(
  { api, instancesOf }: FindOptions,
  asked: GroupResource,
): StoredResource | undefined {
  const instances = instancesOf(asked)
  if (instances) {
    const { definition, codec } = instances
    const of = (apiVersion: string): ServedResource | undefined =>
      instances.apiVersion === apiVersion
        ? instances
        : api.resources.find((each) => each.codec === codec && each.apiVersion === apiVersion)
    return placed(definition, codec, of)
  }
  const codec = api.codecs.find(({ definition }) => isServedAs(definition, asked))
  if (!codec) return undefined
  const { definition, release } = codec
  const own = (versionName: string): ServedResource | undefined =>
    api.own(definition.group, versionName, definition.resource)
  return placed(definition, codec, (apiVersion) => {
    if (!codec.decodableVersions.includes(apiVersion)) return undefined
    // What is only stored is worked with as clients would: through the version that comes first (decide-address.ts).
    return own(apiVersion.slice(apiVersion.indexOf('/') + 1)) ?? own(release.served[0] ?? '')
  })
}

function placed(
  definition: ResourceDefinition,
  codec: Codec,
  inVersion: StoredResource['inVersion'],
): StoredResource {
  const { group, resource, scope } = definition
  return { agreed: { group, resource }, prefix: resourcePrefix(definition), scope, codec, inVersion }
}

/**
 * Of a kind that this server does not have, or has no more: its record says where objects lie. Those of a definition that
 * is gone are namespaced if their keys look so, which is all that is left to tell.
 */
export function storedByRecord(asked: GroupResource, { record }: StoredRecord): StoredResource | undefined {
  const { storagePrefix } = record.spec
  if (storagePrefix === undefined) return undefined
  const prefix = `${storageRoot}${storagePrefix}/`
  return { agreed: asked, prefix, scope: 'Namespaced', codec: undefined, inVersion: () => undefined }
}

/** From the store itself. */
export async function readRecord(
  store: Store,
  resource: GroupResource,
  signal: AbortSignal,
): Promise<StoredRecord | undefined> {
  const entry = await readOne(store, agreementKey(resource), signal)
  return entry && { record: agreementKind.decode(entry), revision: entry.revision }
}

function isServedAs(
  { group, resource, alsoServedIn = [] }: ResourceDefinition,
  asked: GroupResource,
): boolean {
  return (
    resource === asked.resource && [group, ...alsoServedIn.map((each) => each.group)].includes(asked.group)
  )
}

/** Where an object lies, as people know it. */
export function placeOf(
  { prefix, scope }: Pick<StoredResource, 'prefix' | 'scope'>,
  key: Key,
): { readonly namespace?: string; readonly name: string } {
  const relative = key.slice(prefix.length)
  const slash = relative.indexOf('/')
  if (scope === 'Cluster' || slash < 0) return { name: relative }
  return { namespace: relative.slice(0, slash), name: relative.slice(slash + 1) }
}
