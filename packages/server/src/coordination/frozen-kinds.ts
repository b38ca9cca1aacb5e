import {
  type ApiObject,
  agreementName,
  type DiscoveryDocHashes,
  discoveryDocHashes,
  discoveryDocHashesName,
  type GroupResource,
  identityNamespace,
  type Lease,
  leases,
  type ResourceDefinition,
  resourceAtRelease,
  type StorageAgreement,
  type StorageVersion,
  type StorageVersionBallot,
  storageAgreements,
  storageVersionBallots,
  storageVersions,
} from '@strata/api'
import { invariant } from '@strata/world'
import { type Codec, createCodec, type Decoded, objectKey, resourcePrefix } from '../codec/index.ts'
import type { Entry, Key } from '../store/index.ts'

/** A kind that agreement itself uses: one storage version for ever, written unfenced (agreement.md, rule 0). */
export interface FrozenKind<T extends ApiObject> {
  readonly codec: Codec
  encode(object: T): Uint8Array
  decode(entry: Entry): T
}

function frozen<T extends ApiObject>(definition: ResourceDefinition<T>): FrozenKind<T> {
  const erased = definition as unknown as ResourceDefinition
  const release = resourceAtRelease(erased, undefined)
  invariant(release && definition.bootstrap, `${definition.resource} is not a bootstrap kind`)
  const codec = decodingOnce(createCodec(erased, release))
  return {
    codec,
    encode: (object) => codec.encode(object, codec.preferredVersion),
    decode: ({ value }) => codec.decode(value).hub as T,
  }
}

/** Several observers decode each change of a record, and none changes the object. So it is decoded once. */
function decodingOnce(codec: Codec): Codec {
  const decoded = new WeakMap<Uint8Array, Decoded>()
  const decode = (stored: Uint8Array): Decoded => {
    const known = decoded.get(stored)
    if (known) return known
    const made = codec.decode(stored)
    decoded.set(stored, made)
    return made
  }
  return { ...codec, decode, decodeIn: (stored) => decode(stored).hub }
}

export const leaseKind = frozen<Lease>(leases)
export const agreementKind = frozen<StorageAgreement>(storageAgreements)
export const storageVersionKind = frozen<StorageVersion>(storageVersions)
export const ballotKind = frozen<StorageVersionBallot>(storageVersionBallots)
export const docHashesKind = frozen<DiscoveryDocHashes>(discoveryDocHashes)

export function identityLeaseKey(serverID: string): Key {
  return objectKey(leaseKind.codec.definition, identityNamespace, serverID)
}
export const identityLeasePrefix: Key = `${resourcePrefix(leaseKind.codec.definition)}${identityNamespace}/`

/** The fence: the store refuses a strict write of the resource if the agreement record at this key has moved. */
export function agreementKey(resource: GroupResource): Key {
  return objectKey(agreementKind.codec.definition, '', agreementName(resource))
}
export function storageVersionKey(resource: GroupResource): Key {
  return objectKey(storageVersionKind.codec.definition, '', agreementName(resource))
}
export function ballotKey(resource: GroupResource): Key {
  return objectKey(ballotKind.codec.definition, '', agreementName(resource))
}
export const agreementPrefix: Key = resourcePrefix(agreementKind.codec.definition)
export const storageVersionPrefix: Key = resourcePrefix(storageVersionKind.codec.definition)

export const docHashesKey: Key = objectKey(docHashesKind.codec.definition, '', discoveryDocHashesName)
export const docHashesPrefix: Key = resourcePrefix(docHashesKind.codec.definition)
