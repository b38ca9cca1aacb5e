import type { GroupResource, ResourceDefinition, StorageAgreement } from '@strata/api'
import { type Codec, resourcePrefix, storageRoot } from '../codec/index.ts'
import { agreementKey, agreementKind } from '../coordination/index.ts'
import type { ServedApi, ServedResource } from '../registry/index.ts'
import { type Key, type Revision, readOne, type Store } from '../store/index.ts'

/** A resource in the store. */
export interface StoredResource {
  /** The name of the agreement record; a resource that two groups serve has one of them. */
  readonly agreed: GroupResource
  readonly prefix: Key
  readonly scope: ResourceDefinition['scope']
  /** Undefined if this server does not have the kind, and knows only its keys. */
  readonly codec: Codec | undefined
  /** The resource for objects that are to be stored in that version, served or not. */
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

/** Finds a resource of this server: built-in, in any of its groups, or custom. */
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
    // Objects of a version that is only stored are handled as clients do: through the first served version (decide-address.ts).
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
 * Finds a resource that this server does not have, or no longer has, by its record. Instances of a deleted CRD count as
 * namespaced if their keys look so, which is all that is known.
 */
export function storedByRecord(asked: GroupResource, { record }: StoredRecord): StoredResource | undefined {
  const { storagePrefix } = record.spec
  if (storagePrefix === undefined) return undefined
  const prefix = `${storageRoot}${storagePrefix}/`
  return { agreed: asked, prefix, scope: 'Namespaced', codec: undefined, inVersion: () => undefined }
}

/** Reads the record from the store itself. */
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

/** The namespace and name of an object. */
export function placeOf(
  { prefix, scope }: Pick<StoredResource, 'prefix' | 'scope'>,
  key: Key,
): { readonly namespace?: string; readonly name: string } {
  const relative = key.slice(prefix.length)
  const slash = relative.indexOf('/')
  if (scope === 'Cluster' || slash < 0) return { name: relative }
  return { namespace: relative.slice(0, slash), name: relative.slice(slash + 1) }
}
