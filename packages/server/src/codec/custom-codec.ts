import { apiVersionOf, tooLarge } from '@strata/api'
import type { Codec } from './codec.ts'
import { CustomConversion } from './custom-conversion.ts'
import { type CustomKind, CustomVersions } from './custom-versions.ts'
import {
  apiVersionIn,
  encodeObject,
  quickVersion,
  saysTheSame,
  spliceRevision,
  startsWith,
  storedVersionOf,
} from './stored-bytes.ts'
import { Trust } from './trust.ts'

/**
 * The codec of a custom resource. There is no hub: an object is in the version of the request, as its apiVersion says. Stored
 * objects are pruned and defaulted on read, by schemas that may have changed since the write.
 */
export function createCustomCodec(custom: CustomKind): Codec {
  const { definition } = custom
  const versions = new CustomVersions(custom)
  const conversion = new CustomConversion(versions, custom.converter)
  const trust = new Trust()

  function tail(stored: Uint8Array, revision: number, apiVersion: string): Uint8Array {
    const { head } = versions.of(apiVersion)
    const isOwn = trust.covers(revision) && startsWith(stored, head)
    return isOwn ? stored.subarray(head.length) : conversion.tail(stored, apiVersion)
  }

  function renewed(stored: Uint8Array, apiVersion: string) {
    if (!quickVersion(versions.all, stored)) return undefined
    const version = versions.of(apiVersion)
    const object = conversion.decodeIn(stored, apiVersion)
    if (version.structural.misfit(object)) return undefined
    if (!versions.mayDefault(version)) return { object, isSame: true }
    const before = JSON.stringify(object)
    version.structural.applyDefaults(object, { left: maxDefaultsLength, onFull: overfull })
    return { object, isSame: JSON.stringify(object) === before }
  }

  return {
    renewed,
    definition,
    release: {
      decodable: custom.versions.map(({ versionName }) => versionName),
      served: custom.versions.filter(({ isServed }) => isServed).map(({ versionName }) => versionName),
      preferredStorage: custom.storageVersionName,
    },
    decodableVersions: versions.all.map(({ apiVersion }) => apiVersion),
    equivalentVersions: [],
    servedVersions: versions.all.filter(({ isServed }) => isServed).map(({ apiVersion }) => apiVersion),
    preferredVersion: apiVersionOf(definition.group, custom.storageVersionName),
    // As upstream: also in versions that are not served, or no longer served.
    isSpoken: (apiVersion) => versions.has(apiVersion),
    encode: (hub, apiVersion) => conversion.encode(hub, apiVersion),
    // No unknown fields are carried: fields outside the schema were dropped on read.
    isKnown: () => true,
    decode: (stored) => {
      const hub = versions.read(stored)
      return { hub, storedVersion: apiVersionIn(hub) }
    },
    decodeIn: (stored, apiVersion) => conversion.decodeIn(stored, apiVersion),
    needsWebhook: custom.converter.needsWebhook,
    ready: (values, apiVersion) => conversion.ready(values, apiVersion),
    serve: (stored, revision, apiVersion, writtenAt = revision) => {
      const version = versions.of(apiVersion)
      if (revision === 0) return encodeObject(conversion.decodeIn(stored, apiVersion), version, true)
      return spliceRevision(version.head, revision, tail(stored, writtenAt, apiVersion))
    },
    trust,
    tail,
    cut: (object, apiVersion, onUnknown) => {
      const { structural } = versions.of(apiVersion)
      structural.prune(object, onUnknown)
      return structural.misfit(object)
    },
    applyDefaults: (object, apiVersion) =>
      versions.of(apiVersion).structural.applyDefaults(object, { left: maxDefaultsLength, onFull: overfull }),
    toHub: (object, apiVersion) => {
      object.apiVersion = apiVersion
      object.kind = definition.kind
      return object
    },
    toWire: (hub, apiVersion) => conversion.toWire(hub, apiVersion),
    schemaOf: (apiVersion) => versions.of(apiVersion).schema,
    // The strategy validates a custom resource after admission.
    validate: () => [],
    validateWhole: () => [],
    isCurrent: saysTheSame,
    storedVersion: (stored) => storedVersionOf(versions.all, stored),
  }
}

/** More than any stored object may have. */
const maxDefaultsLength = 3 * 1024 * 1024

function overfull(): never {
  throw tooLarge(maxDefaultsLength)
}
