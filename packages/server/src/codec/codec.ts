import {
  type ApiObject,
  apiVersionOf,
  applyDefaults,
  type FieldError,
  holdsUnknown,
  isJsonObject,
  prune,
  type ResourceDefinition,
  type ResourceRelease,
  type Schema,
  servedVersionNames,
  type VersionDefinition,
} from '@strata/api'
import { invariant } from '@strata/world'
import { ConvertedTails } from './converted-tails.ts'
import { MalformedJson, parseObject } from './json.ts'
import { clearTextSeal, isSealed, sealText, unsealingAdvice, whySealed } from './sealed-bytes.ts'
import {
  apiVersionIn,
  encodeObject,
  headOf,
  quickVersion,
  saysTheSame,
  spliceRevision,
  startsWith,
  storedVersionOf,
} from './stored-bytes.ts'
import { Trust } from './trust.ts'
import { WholeSchema } from './whole-schema.ts'

/** Stored bytes in a version that this release cannot read. They are left as they are. */
export class UndecodableObject extends Error {
  override readonly name = 'UndecodableObject'
  readonly storedVersion: string
  /** How an operator can make it readable again. */
  readonly repair: string
  constructor(
    resource: string,
    storedVersion: string,
    decodable: readonly string[],
    repair = 'start a release that can, and migrate',
  ) {
    super(
      `stored as ${storedVersion}, which this release cannot decode (${resource}: it decodes ${decodable.join(', ')}); ${repair}`,
    )
    this.storedVersion = storedVersion
    this.repair = repair
  }
}

/** Stored bytes that are encrypted and cannot be decrypted here. They are left as they are. */
class UndecryptableObject extends UndecodableObject {
  constructor(resource: string, stored: Uint8Array) {
    const seal = sealText(stored)
    super(resource, seal, [], unsealingAdvice(stored))
    const what =
      seal === clearTextSeal
        ? `stored in clear text, which this server does not read (${resource})`
        : `stored as ${seal} (encrypted), which cannot be decrypted (${resource})`
    this.message = `${what}: ${whySealed(stored)}; ${this.repair}`
  }
}

/** Stored bytes that no release writes like this. They are left as they are. */
export class DamagedObject extends UndecodableObject {
  constructor(resource: string, storedVersion: string, what: string, cause?: unknown) {
    super(resource, storedVersion, [], 'restore it from a backup, or remove its key from the store')
    this.message = `stored bytes are ${what} (${resource}); ${this.repair}`
    this.cause = cause
  }
}

/** Parses stored bytes to an object with a name; the error for encrypted bytes names their key. */
export function parseStored(stored: Uint8Array, resource: string): Record<string, unknown> {
  if (isSealed(stored)) throw new UndecryptableObject(resource, stored)
  const object = parseUndamaged(stored, resource)
  const { metadata } = object
  // The sender inserts the revision before the first field of the metadata, so there must be one.
  if (isJsonObject(metadata) && typeof metadata['name'] === 'string') return object
  throw new DamagedObject(resource, apiVersionIn(object), 'no object: they have no metadata.name')
}

function parseUndamaged(stored: Uint8Array, resource: string): Record<string, unknown> {
  try {
    return parseObject(stored)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw new DamagedObject(resource, 'none', `not JSON: ${error.message}`, error)
  }
}

export interface Decoded {
  readonly hub: ApiObject
  /** The apiVersion in the bytes. */
  readonly storedVersion: string
}

/**
 * Converts hub objects to bytes and back, for one resource in one release. The version to write is always an argument: the codec
 * never chooses, because servers write what they agreed on (docs/design/agreement.md).
 */
export interface Codec {
  readonly definition: ResourceDefinition
  readonly release: ResourceRelease
  /** apiVersions in which objects may be read from the store. */
  readonly decodableVersions: readonly string[]
  /** Versions of other groups in which this kind is served: they are decodable, and never written. */
  readonly equivalentVersions: readonly string[]
  /** Includes the versions of other groups. */
  readonly servedVersions: readonly string[]
  /** The version that this release would write if it were alone. */
  readonly preferredVersion: string
  /**
   * Whether clients use the version, here or with a server of another release. A version that is only stored has no clients, and
   * no manager owns fields in it.
   */
  isSpoken(apiVersion: string): boolean
  /**
   * The bytes to store, without a resourceVersion, which the store's revision replaces. If the object may have fields that this
   * release does not know, it is searched for them; bytes with such fields begin differently.
   */
  encode(hub: ApiObject, apiVersion: string, mayHoldUnknown?: boolean): Uint8Array
  decode(stored: Uint8Array): Decoded
  /**
   * The object for a request in `apiVersion`. Built-in kinds have a hub, which is the same for all versions. A custom resource
   * has none: each version stands for itself.
   */
  decodeIn(stored: Uint8Array, apiVersion: string): ApiObject
  /** Whether a conversion webhook may be needed to read or write a version other than the stored one. */
  readonly needsWebhook: boolean
  /**
   * Reading or writing another version of a custom resource throws `ConversionPending` where a webhook is needed. This calls the
   * webhook for many stored objects at once; undefined if no call is needed.
   */
  ready(stored: readonly Uint8Array[], apiVersion: string): Promise<void> | undefined
  /** The bytes to send: in `apiVersion`, with the revision as resourceVersion; 0 for an object that is not stored. */
  serve(stored: Uint8Array, revision: number, apiVersion: string, writtenAt?: number): Uint8Array
  /**
   * The object in `apiVersion` after its `"metadata":{`, without a resourceVersion; the sender writes the part before. For
   * trusted bytes this is a view, not a copy. Other bytes are decoded, defaulted, pruned and converted once, and kept with the
   * stored bytes.
   */
  tail(stored: Uint8Array, revision: number, apiVersion: string): Uint8Array
  /**
   * Whether these bytes, read through the watch, certainly have no field that this release does not know: all servers encoded
   * alike when the bytes were written, and the bytes do not begin like those with carried fields.
   */
  isKnown(stored: Uint8Array, revision: number): boolean
  /** Which stored bytes may be served as they are; coordination sets it. */
  readonly trust: Trust
  /**
   * For custom resources only: removes unknown fields of that version in place, and reports each. Returns the error if the rest
   * cannot be decoded.
   */
  readonly cut?: (
    object: ApiObject,
    apiVersion: string,
    onUnknown: (path: string) => void,
  ) => FieldError | undefined
  /**
   * For custom resources only: the object as a client of `apiVersion` would send it back, with the defaults of that version, and
   * whether the defaults changed it. Undefined if that needs a full decode: bytes that none of our servers wrote may have
   * anything in their metadata.
   */
  readonly renewed?: (
    stored: Uint8Array,
    apiVersion: string,
  ) => { readonly object: ApiObject; readonly isSame: boolean } | undefined
  /** Sets the defaults of that version in place. */
  applyDefaults(object: ApiObject, apiVersion: string): void
  /** An object of that version, with its defaults, as a hub object. */
  toHub(object: ApiObject, apiVersion: string): ApiObject
  /** The hub object in that version. */
  toWire(hub: ApiObject, apiVersion: string): ApiObject
  schemaOf(apiVersion: string): Schema
  /** The errors of a client's object by the schema of that version. Only for kinds that a program defines. */
  validate(object: ApiObject, apiVersion: string): readonly FieldError[]
  /**
   * The errors of an object that is about to be stored, by the whole schema of that version and its rules in CEL. What was wrong
   * in `stored` and is unchanged is tolerated. Only for kinds that a program defines: typed kinds have code for this, and so has
   * the strategy of custom resources.
   */
  validateWhole(
    hub: ApiObject,
    stored: ApiObject | undefined,
    apiVersion: string,
    ofStatus?: boolean,
  ): readonly FieldError[]
  /** True if the stored bytes equal those that would be stored, up to the order of keys, in the same version. */
  isCurrent(stored: Uint8Array, wouldBe: Uint8Array): boolean
  /** The apiVersion in the stored bytes, without decoding the object. */
  storedVersion(stored: Uint8Array): string
}

interface CodecVersion {
  readonly kind: string
  readonly apiVersion: string
  readonly definition: VersionDefinition<ApiObject, ApiObject>
  readonly head: Buffer
  /** Undefined for a typed kind. */
  readonly whole: WholeSchema | undefined
}

export function createCodec(
  definition: ResourceDefinition,
  release: ResourceRelease,
  isServed: (group: string, versionName: string) => boolean = () => true,
): Codec {
  const name = `${definition.resource}${definition.group === '' ? '' : `.${definition.group}`}`
  const own = ownVersions(name, definition, release)
  const others = versionsOfOtherGroups(definition)
  const versions = new Map([...own, ...others].map((each) => [each.apiVersion, each]))
  const decodableVersions = own.map(({ apiVersion }) => apiVersion)
  const equivalentVersions = others.map(({ apiVersion }) => apiVersion)
  const spoken = new Set([
    ...servedVersionNames(definition).map((each) => apiVersionOf(definition.group, each)),
    ...equivalentVersions,
  ])
  const trust = new Trust()
  const converted = new ConvertedTails()

  function versionOf(apiVersion: string): CodecVersion {
    const version = versions.get(apiVersion)
    if (!version) throw new UndecodableObject(name, apiVersion, decodableVersions)
    return version
  }

  /** The object for clients: without the fields that this release does not know, which stay stored (rule 16). */
  function served(version: CodecVersion, { hub, storedVersion }: Decoded): Buffer {
    return undamaged(storedVersion, () => {
      const wire = version.definition.fromHub(hub)
      return encodeObject(prune(wire, version.definition.schema, () => {}) as ApiObject, version, true)
    })
  }

  /**
   * Conversions rely on the schema, which was checked before the object was stored. If one fails on stored bytes, another program
   * wrote or damaged them: the error says so, and it is no bug of the request that reads it.
   */
  function undamaged<T>(storedVersion: string, convert: () => T): T {
    try {
      return convert()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new DamagedObject(name, storedVersion, `no valid ${storedVersion}: ${why}`, error)
    }
  }

  function decode(stored: Uint8Array): Decoded {
    const object = parseStored(stored, name) as ApiObject
    const storedVersion = apiVersionIn(object)
    const version = versionOf(storedVersion)
    return undamaged(storedVersion, () => {
      applyDefaultsIn(version, object)
      return { hub: version.definition.toHub(object), storedVersion }
    })
  }

  function serve(
    stored: Uint8Array,
    revision: number,
    apiVersion: string,
    writtenAt: number = revision,
  ): Uint8Array {
    const version = versionOf(apiVersion)
    if (revision === 0) return served(version, decode(stored))
    return spliceRevision(version.head, revision, tail(stored, writtenAt, apiVersion))
  }

  function tail(stored: Uint8Array, revision: number, apiVersion: string): Uint8Array {
    const version = versionOf(apiVersion)
    if (trust.covers(revision) && startsWith(stored, version.head))
      return stored.subarray(version.head.length)
    return (
      converted.get(stored, apiVersion) ??
      converted.keep(stored, apiVersion, served(version, decode(stored)).subarray(version.head.length))
    )
  }

  return {
    definition,
    release,
    decodableVersions,
    equivalentVersions,
    servedVersions: servedVersions(definition, release, isServed),
    preferredVersion: apiVersionOf(definition.group, release.preferredStorage),
    isSpoken: (apiVersion) => spoken.has(apiVersion) && versions.has(apiVersion),
    encode: (hub, apiVersion, mayHoldUnknown = false) => encodeIn(versionOf(apiVersion), hub, mayHoldUnknown),
    isKnown: (stored, revision) => trust.covers(revision) && quickVersion(own, stored) !== undefined,
    decode,
    decodeIn: (stored) => decode(stored).hub,
    needsWebhook: false,
    ready: () => undefined,
    serve,
    trust,
    tail,
    applyDefaults: (object, apiVersion) => applyDefaultsIn(versionOf(apiVersion), object),
    toHub: (object, apiVersion) => versionOf(apiVersion).definition.toHub(object),
    toWire: (hub, apiVersion) => versionOf(apiVersion).definition.fromHub(hub),
    schemaOf: (apiVersion) => versionOf(apiVersion).definition.schema,
    validate: (object, apiVersion) => versionOf(apiVersion).whole?.ofClient(object) ?? [],
    validateWhole: (hub, stored, apiVersion, ofStatus = false) =>
      versionOf(apiVersion).whole?.ofStored(hub, stored, ofStatus) ?? [],
    isCurrent: saysTheSame,
    storedVersion: (stored) => storedVersionOf(own, stored),
  }
}

function ownVersions(
  name: string,
  { kind, group, versions, typed }: ResourceDefinition,
  { decodable }: ResourceRelease,
): CodecVersion[] {
  return decodable.map((versionName) => {
    const version = versions[versionName]
    invariant(version, `${name} has no version ${versionName}`)
    return codecVersion({ kind, typed }, apiVersionOf(group, versionName), version)
  })
}

/** They are served and never stored: agreement is about stored versions. */
function versionsOfOtherGroups({ kind, typed, alsoServedIn = [] }: ResourceDefinition): CodecVersion[] {
  return alsoServedIn.flatMap(({ group, versions }) =>
    Object.entries(versions).map(([versionName, version]) =>
      codecVersion({ kind, typed }, apiVersionOf(group, versionName), version),
    ),
  )
}

function codecVersion(
  { kind, typed }: { readonly kind: string; readonly typed: boolean | undefined },
  apiVersion: string,
  definition: CodecVersion['definition'],
): CodecVersion {
  return {
    ...{ kind, apiVersion, definition, head: headOf({ kind, apiVersion }) },
    whole: typed ? undefined : new WholeSchema(definition),
  }
}

function encodeIn(version: CodecVersion, hub: ApiObject, mayHoldUnknown: boolean): Buffer {
  const wire = version.definition.fromHub(hub)
  const holds = mayHoldUnknown && holdsUnknown(wire, version.definition.schema)
  return encodeObject(wire, version, !holds)
}

function applyDefaultsIn(
  { definition: { schema, applyDefaults: more } }: CodecVersion,
  object: ApiObject,
): void {
  applyDefaults(object, schema)
  more?.(object)
}

function servedVersions(
  { group, alsoServedIn = [] }: ResourceDefinition,
  { served }: ResourceRelease,
  isServed: (group: string, versionName: string) => boolean,
): string[] {
  const own = { group, names: served }
  const others = alsoServedIn.map((other) => ({ group: other.group, names: Object.keys(other.versions) }))
  return [own, ...others].flatMap(({ group: name, names }) =>
    names.filter((each) => isServed(name, each)).map((each) => apiVersionOf(name, each)),
  )
}
