import {
  type ApiObject,
  apiVersionOf,
  type ResourceDefinition,
  type Schema,
  type StructuralSchema,
  tooLarge,
} from '@strata/api'
import { type Codec, parseStored, UndecodableObject } from './codec.ts'
import type { Converter } from './converter.ts'
import { parseObject } from './json.ts'
import { RememberedAnswers } from './remembered-answers.ts'
import { isSealed, sealText } from './sealed-bytes.ts'
import {
  apiVersionIn,
  encodeObject,
  headOf,
  saysTheSame,
  spliceRevision,
  startsWith,
} from './stored-bytes.ts'
import { Trust } from './trust.ts'

export interface CustomVersion {
  readonly versionName: string
  readonly isServed: boolean
  /** Includes the fields of every object, for field management. */
  readonly schema: Schema
  readonly structural: Pick<StructuralSchema, 'prune' | 'applyDefaults' | 'dropMisfits' | 'misfit'>
}

export interface CustomKind {
  readonly definition: ResourceDefinition
  readonly versions: readonly CustomVersion[]
  readonly storageVersionName: string
  readonly converter: Converter
}

interface CodecVersion extends CustomVersion {
  readonly kind: string
  readonly apiVersion: string
  readonly head: Buffer
}

/**
 * The codec of a custom resource. There is no hub: an object is in the version of the request, as its apiVersion says. Stored
 * objects are pruned and defaulted on read, by schemas that may have changed since the write.
 */
export function createCustomCodec(custom: CustomKind): Codec {
  const { definition, converter } = custom
  const { group, kind } = definition
  const name = `${definition.resource}.${group}`
  const versions = new Map<string, CodecVersion>()
  for (const version of custom.versions) {
    const apiVersion = apiVersionOf(group, version.versionName)
    versions.set(apiVersion, { ...version, kind, apiVersion, head: headOf({ kind, apiVersion }) })
  }
  const decodableVersions = [...versions.keys()]
  const all = [...versions.values()]
  const trust = new Trust()
  const answers = new RememberedAnswers(converter)
  /** Conversions of stored bytes, by version; kept as long as the bytes. */
  const converted = new WeakMap<Uint8Array, Map<string, Uint8Array>>()

  function versionOf(apiVersion: string, object?: ApiObject): CodecVersion {
    const version = versions.get(apiVersion)
    if (version) return version
    throw new UndecodableObject(
      `${name}${nameOf(object)}`,
      apiVersion,
      decodableVersions,
      repair(name, apiVersion),
    )
  }

  function parse(stored: Uint8Array): ApiObject {
    const object = parseStored(stored, name) as ApiObject
    versionOf(apiVersionIn(object), object)
    return object
  }

  /** As upstream: a stored object is pruned and defaulted by the schema of its stored version. */
  function read(stored: Uint8Array): ApiObject {
    const object = parse(stored)
    const { structural, apiVersion } = versionOf(apiVersionIn(object))
    object.apiVersion = apiVersion
    object.kind = kind
    structural.prune(object)
    structural.dropMisfits(object)
    structural.applyDefaults(object)
    return object
  }

  /** A converted object keeps only the fields that its new version knows. The defaults of that version apply only on writes. */
  function settle(object: ApiObject, { structural, apiVersion }: CodecVersion): ApiObject {
    object.apiVersion = apiVersion
    object.kind = kind
    structural.prune(object)
    return object
  }

  /** Converts without a webhook, or by a remembered answer of the webhook. */
  function convertNow(object: ApiObject, apiVersion: string): ApiObject {
    if (object.apiVersion === apiVersion) return object
    if (!converter.needsWebhook) {
      const [only] = converter.convert([object], apiVersion) as readonly ApiObject[]
      if (only) return only
    }
    return answers.of(object, apiVersion)
  }

  function decodeIn(stored: Uint8Array, apiVersion: string): ApiObject {
    const kept = converted.get(stored)?.get(apiVersion)
    const version = versionOf(apiVersion)
    if (kept) {
      const text = Buffer.concat([version.head, kept])
      return parseObject(text) as ApiObject
    }
    const object = read(stored)
    if (object.apiVersion === apiVersion) return object
    // The object was decoded a moment ago, and has no other owner.
    return settle(converter.renames ? object : convertNow(object, apiVersion), version)
  }

  function keep(stored: Uint8Array, apiVersion: string, tail: Uint8Array): Uint8Array {
    const tails = converted.get(stored) ?? new Map<string, Uint8Array>()
    // A copy: a slice of Node's buffer pool would keep the whole pool alive.
    const own = new Uint8Array(tail)
    converted.set(stored, tails.set(apiVersion, own))
    return own
  }

  function tailOf(object: ApiObject, version: CodecVersion): Uint8Array {
    return encodeObject(object, version, true).subarray(version.head.length)
  }

  function isOwn(stored: Uint8Array, revision: number, { head }: CodecVersion): boolean {
    return trust.covers(revision) && startsWith(stored, head)
  }

  function tail(stored: Uint8Array, revision: number, apiVersion: string): Uint8Array {
    const version = versionOf(apiVersion)
    if (isOwn(stored, revision, version)) return stored.subarray(version.head.length)
    return (
      converted.get(stored)?.get(apiVersion) ??
      keep(stored, apiVersion, tailOf(decodeIn(stored, apiVersion), version))
    )
  }

  function storedVersion(stored: Uint8Array): string {
    const quick = all.find(({ head }) => startsWith(stored, head))
    if (quick) return quick.apiVersion
    return isSealed(stored) ? sealText(stored) : apiVersionIn(parseObject(stored))
  }

  /** Requests all needed conversions in one call, which a converter may split. */
  function ready(values: readonly Uint8Array[], apiVersion: string): Promise<void> | undefined {
    if (!converter.needsWebhook) return undefined
    const isOpen = (value: Uint8Array): boolean =>
      !converted.get(value)?.has(apiVersion) && storedVersion(value) !== apiVersion
    try {
      const open = values.filter(isOpen)
      return open.length === 0 ? undefined : ask(open, apiVersion)
    } catch (error) {
      // The waiting request gets the error, not the code that delivers changes to all watchers.
      return Promise.reject(error)
    }
  }

  async function ask(values: readonly Uint8Array[], apiVersion: string): Promise<void> {
    const version = versionOf(apiVersion)
    const found = await converter.convert(values.map(read), apiVersion)
    for (const [index, value] of values.entries()) {
      const answer = found[index]
      if (answer) keep(value, apiVersion, tailOf(settle(answer, version), version))
    }
  }

  /**
   * A converted object keeps only the fields that the stored version knows, as upstream: a field that another version renames
   * without conversion is lost here. The schema of that version has not defaulted it, so it is not served as it is.
   */
  function encodeConverted(object: ApiObject, apiVersion: string): Uint8Array {
    const version = versionOf(apiVersion)
    version.structural.prune(object)
    return encodeObject(object, version, false)
  }

  const hasDefaults = new Map<string, boolean>()

  /** Most schemas have no defaults, and then there is nothing to compare. */
  function mayDefault({ apiVersion, versionName }: CodecVersion): boolean {
    const { schema } = definition.versions[versionName] ?? {}
    const known = hasDefaults.get(apiVersion) ?? JSON.stringify(schema ?? {}).includes('"default":')
    hasDefaults.set(apiVersion, known)
    return known
  }

  function renewed(stored: Uint8Array, apiVersion: string) {
    if (!all.some(({ head }) => startsWith(stored, head))) return undefined
    const version = versionOf(apiVersion)
    const object = decodeIn(stored, apiVersion)
    if (version.structural.misfit(object)) return undefined
    if (!mayDefault(version)) return { object, isSame: true }
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
    decodableVersions,
    equivalentVersions: [],
    servedVersions: all.filter(({ isServed }) => isServed).map(({ apiVersion }) => apiVersion),
    preferredVersion: apiVersionOf(group, custom.storageVersionName),
    // As upstream: also in versions that are not served, or no longer served.
    isSpoken: (apiVersion) => versions.has(apiVersion),
    encode: (hub, apiVersion) =>
      hub.apiVersion === apiVersion
        ? encodeObject(hub, versionOf(apiVersion), true)
        : encodeConverted(convertNow(hub, apiVersion), apiVersion),
    // No unknown fields are carried: fields outside the schema were dropped on read.
    isKnown: () => true,
    decode: (stored) => {
      const hub = read(stored)
      return { hub, storedVersion: apiVersionIn(hub) }
    },
    decodeIn,
    needsWebhook: converter.needsWebhook,
    ready,
    serve: (stored, revision, apiVersion, writtenAt = revision) => {
      const version = versionOf(apiVersion)
      if (revision === 0) return encodeObject(decodeIn(stored, apiVersion), version, true)
      return spliceRevision(version.head, revision, tail(stored, writtenAt, apiVersion))
    },
    trust,
    tail,
    cut: (object, apiVersion, onUnknown) => {
      const { structural } = versionOf(apiVersion)
      structural.prune(object, onUnknown)
      return structural.misfit(object)
    },
    applyDefaults: (object, apiVersion) =>
      versionOf(apiVersion).structural.applyDefaults(object, { left: maxDefaultsLength, onFull: overfull }),
    toHub: (object, apiVersion) => {
      object.apiVersion = apiVersion
      object.kind = kind
      return object
    },
    toWire: (hub, apiVersion) => {
      const version = versionOf(apiVersion)
      return hub.apiVersion === apiVersion ? hub : settle(convertNow(hub, apiVersion), version)
    },
    schemaOf: (apiVersion) => versionOf(apiVersion).schema,
    // The strategy validates a custom resource after admission.
    validate: () => [],
    isCurrent: saysTheSame,
    storedVersion,
  }
}

/** More than any stored object may have. */
const maxDefaultsLength = 3 * 1024 * 1024

function overfull(): never {
  throw tooLarge(maxDefaultsLength)
}

function nameOf(object: ApiObject | undefined): string {
  if (!object) return ''
  const { namespace, name } = object.metadata ?? {}
  return ` "${namespace === undefined ? '' : `${namespace}/`}${name}"`
}

function repair(crdName: string, apiVersion: string): string {
  const versionName = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return `nothing is lost: add ${versionName} to spec.versions of CustomResourceDefinition ${crdName} again (served: false is enough), then it can be read and migrated`
}
