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
  /** With what every object has, for those who track the owners of fields. */
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
 * The codec of a custom resource. There is no hub: an object is what it is in the version of the request, and says so in
 * its own apiVersion. What is stored is pruned and defaulted when it is read, by schemas that may have changed since it
 * was written.
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
  /** What was made of stored bytes, by version; kept as long as they are. */
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

  /** As upstream reads: what is stored is pruned and defaulted by the schema of the version in which it is stored. */
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

  /** What was converted keeps what its new version knows; the defaults of that one are for those who write in it. */
  function settle(object: ApiObject, { structural, apiVersion }: CodecVersion): ApiObject {
    object.apiVersion = apiVersion
    object.kind = kind
    structural.prune(object)
    return object
  }

  /** What can be said at once: without asking, or because it was asked a moment ago. */
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
    // It was made of the bytes a moment ago, and nobody else has it.
    return settle(converter.renames ? object : convertNow(object, apiVersion), version)
  }

  function keep(stored: Uint8Array, apiVersion: string, tail: Uint8Array): Uint8Array {
    const tails = converted.get(stored) ?? new Map<string, Uint8Array>()
    // In memory of its own: a piece of Node's pool would keep all of the pool for as long.
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

  /** All that have to be asked about in one question, which a converter may ask in several parts. */
  function ready(values: readonly Uint8Array[], apiVersion: string): Promise<void> | undefined {
    if (!converter.needsWebhook) return undefined
    const isOpen = (value: Uint8Array): boolean =>
      !converted.get(value)?.has(apiVersion) && storedVersion(value) !== apiVersion
    try {
      const open = values.filter(isOpen)
      return open.length === 0 ? undefined : ask(open, apiVersion)
    } catch (error) {
      // Whoever waits is told, and not who brings the news of a change to all who watch.
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
   * What a conversion has made keeps what the stored version knows, as upstream has it: whoever renames a field in
   * another version without converting it loses it here. It was never defaulted by that version's schema, so it is not
   * served as it is.
   */
  function encodeConverted(object: ApiObject, apiVersion: string): Uint8Array {
    const version = versionOf(apiVersion)
    version.structural.prune(object)
    return encodeObject(object, version, false)
  }

  const hasDefaults = new Map<string, boolean>()

  /** Most schemas have none, and then there is nothing to compare. */
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
    // As upstream: also in versions that are not served, or not any more.
    isSpoken: (apiVersion) => versions.has(apiVersion),
    encode: (hub, apiVersion) =>
      hub.apiVersion === apiVersion
        ? encodeObject(hub, versionOf(apiVersion), true)
        : encodeConverted(convertNow(hub, apiVersion), apiVersion),
    // Nothing is carried along: what the schema does not have was dropped when it was read, as everywhere.
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
    // The strategy's: a custom resource is validated when admission is through with it.
    validate: () => [],
    isCurrent: saysTheSame,
    storedVersion,
  }
}

/** More than any object may have that is stored. */
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
