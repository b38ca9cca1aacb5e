import {
  type ApiObject,
  apiVersionOf,
  applyDefaults,
  type FieldError,
  holdsUnknown,
  prune,
  type ResourceDefinition,
  type ResourceRelease,
  type Schema,
  type VersionDefinition,
  validateSchema,
} from '@strata/api'
import { invariant } from '@strata/world'
import { equalJson, parseObject } from './json.ts'
import { Trust } from './trust.ts'

/** Stored bytes in a version that this release cannot read. They are left as they are. */
export class UndecodableObject extends Error {
  override readonly name = 'UndecodableObject'
  readonly storedVersion: string
  constructor(resource: string, storedVersion: string, decodable: readonly string[]) {
    super(
      `stored as ${storedVersion}, which this release cannot decode (${resource}: it decodes ${decodable.join(', ')}); start a release that can, and migrate`,
    )
    this.storedVersion = storedVersion
  }
}

export interface Decoded {
  readonly hub: ApiObject
  /** The apiVersion in the bytes. */
  readonly storedVersion: string
}

/**
 * Hub object to bytes and back, for one resource as one release knows it. The version to write is always an
 * argument: the codec never chooses (agreement.md: what is written is what the servers agreed on).
 */
export interface Codec {
  readonly definition: ResourceDefinition
  readonly release: ResourceRelease
  /** apiVersions in which objects may be read from the store. */
  readonly decodableVersions: readonly string[]
  readonly servedVersions: readonly string[]
  /** What this release would write if it were alone. */
  readonly preferredVersion: string
  canEncode(apiVersion: string): boolean
  /**
   * The bytes to store: without a resourceVersion, which the store's revision replaces. Where the object may have
   * fields that this release does not know, that is looked at, and bytes with some begin in another way than others.
   */
  encode(hub: ApiObject, apiVersion: string, mayHoldUnknown?: boolean): Uint8Array
  decode(stored: Uint8Array): Decoded
  /** The bytes to send: in `apiVersion`, with the revision as resourceVersion; 0 for an object that was not stored. */
  serve(stored: Uint8Array, revision: number, apiVersion: string, writtenAt?: number): Uint8Array
  /**
   * The object in `apiVersion` from behind its `"metadata":{` on, without a resourceVersion: whoever sends it writes
   * what stands before. Of bytes that are trusted a view, no copy; others are decoded, defaulted, pruned and converted
   * once, and kept beside the stored bytes.
   */
  tail(stored: Uint8Array, revision: number, apiVersion: string): Uint8Array
  /**
   * Whether these bytes, read through the watch, have no field that this release does not know: everyone encoded as
   * this server does when they were written, and they do not begin as those do that carry something along.
   */
  isKnown(stored: Uint8Array, revision: number): boolean
  /** Which stored bytes may be served as they are; told by coordination. */
  readonly trust: Trust
  /** Fills in the defaults of that version, in place. */
  applyDefaults(object: ApiObject, apiVersion: string): void
  /** An object of that version, with its defaults, as a hub object. */
  toHub(object: ApiObject, apiVersion: string): ApiObject
  /** The hub object as that version has it. */
  toWire(hub: ApiObject, apiVersion: string): ApiObject
  schemaOf(apiVersion: string): Schema
  /** What the schema of that version says against a client's object. */
  validate(object: ApiObject, apiVersion: string): readonly FieldError[]
  /** True if the stored bytes say the same as those that would be stored, in the same version. */
  isCurrent(stored: Uint8Array, wouldBe: Uint8Array): boolean
  /** The apiVersion in the stored bytes, without decoding the rest. */
  storedVersion(stored: Uint8Array): string
}

interface CodecVersion {
  readonly apiVersion: string
  readonly definition: VersionDefinition<ApiObject, ApiObject>
  /** Every object that this codec encodes begins with these bytes; `resourceVersion` goes right behind. */
  readonly head: Buffer
}

export function createCodec(definition: ResourceDefinition, release: ResourceRelease): Codec {
  const name = `${definition.resource}${definition.group === '' ? '' : `.${definition.group}`}`
  const versions = new Map<string, CodecVersion>()
  const trust = new Trust()
  const add = (apiVersion: string, version: CodecVersion['definition']): void => {
    const kind = JSON.stringify(definition.kind)
    const head = Buffer.from(`{"kind":${kind},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`)
    versions.set(apiVersion, { apiVersion, definition: version, head })
  }
  for (const versionName of release.decodable) {
    const version = definition.versions[versionName]
    invariant(version, `${name} has no version ${versionName}`)
    add(apiVersionOf(definition.group, versionName), version)
  }
  const decodableVersions = [...versions.keys()]
  const all = [...versions.values()]
  // Versions of other groups are spoken and never stored: agreement is about what is stored.
  for (const other of definition.alsoServedIn ?? []) {
    for (const [versionName, version] of Object.entries(other.versions)) {
      add(apiVersionOf(other.group, versionName), version)
    }
  }

  function versionOf(apiVersion: string): CodecVersion {
    const version = versions.get(apiVersion)
    if (!version) throw new UndecodableObject(name, apiVersion, decodableVersions)
    return version
  }

  function encodeIn(version: CodecVersion, hub: ApiObject, mayHoldUnknown: boolean): Buffer {
    const wire = version.definition.fromHub(hub)
    const holds = mayHoldUnknown && holdsUnknown(wire, version.definition.schema)
    return encodeWire(version, wire, holds)
  }

  /** As a client may see it: without what this release does not know, though it stays stored (rule 16). */
  function served(version: CodecVersion, hub: ApiObject): Buffer {
    const wire = version.definition.fromHub(hub)
    return encodeWire(version, prune(wire, version.definition.schema, () => {}) as ApiObject)
  }

  /**
   * Own bytes are trusted by when they were written and how they begin. What a server carries along without knowing it
   * must not be: then the two first fields stand the other way round, and every reader decodes and prunes.
   */
  function encodeWire({ apiVersion }: CodecVersion, wire: ApiObject, holdsUnknownFields = false): Buffer {
    const { kind: _, apiVersion: __, metadata, ...rest } = wire
    const { resourceVersion: ___, selfLink: ____, ...kept } = metadata
    const { kind } = definition
    const head = holdsUnknownFields ? { apiVersion, kind } : { kind, apiVersion }
    return Buffer.from(JSON.stringify({ ...head, metadata: kept, ...rest }))
  }

  function startsWith(stored: Uint8Array, head: Buffer): boolean {
    if (stored.length < head.length) return false
    // By hand: for so few bytes the way into the native comparison costs more than the comparison.
    for (let at = 0; at < head.length; at++) if (stored[at] !== head[at]) return false
    return true
  }

  /** Own bytes are known by how they begin; others (another program's JSON) have to be parsed. */
  function quickVersion(stored: Uint8Array): CodecVersion | undefined {
    return all.find(({ head }) => startsWith(stored, head))
  }

  function decode(stored: Uint8Array): Decoded {
    const object = parseObject(stored) as ApiObject
    const storedVersion = typeof object.apiVersion === 'string' ? object.apiVersion : 'none'
    const version = versionOf(storedVersion)
    applyDefaultsIn(version, object)
    return { hub: version.definition.toHub(object), storedVersion }
  }

  function applyDefaultsIn(
    { definition: { schema, applyDefaults: more } }: CodecVersion,
    object: ApiObject,
  ): void {
    applyDefaults(object, schema)
    more?.(object)
  }

  function serve(
    stored: Uint8Array,
    revision: number,
    apiVersion: string,
    writtenAt: number = revision,
  ): Uint8Array {
    const version = versionOf(apiVersion)
    if (revision === 0) return served(version, decode(stored).hub)
    const { head } = version
    const rest = tail(stored, writtenAt, apiVersion)
    const splice = `"resourceVersion":"${revision}",`
    const bytes = Buffer.allocUnsafe(head.length + splice.length + rest.length)
    head.copy(bytes)
    bytes.write(splice, head.length, 'latin1')
    bytes.set(rest, head.length + splice.length)
    return bytes
  }

  /** Kept as long as the stored bytes are. */
  const converted = new WeakMap<Uint8Array, Map<string, Uint8Array>>()

  function tail(stored: Uint8Array, revision: number, apiVersion: string): Uint8Array {
    const version = versionOf(apiVersion)
    if (trust.covers(revision) && startsWith(stored, version.head))
      return stored.subarray(version.head.length)
    const tails = converted.get(stored) ?? new Map<string, Uint8Array>()
    const kept = tails.get(apiVersion)
    if (kept) return kept
    const made = served(version, decode(stored).hub).subarray(version.head.length)
    converted.set(stored, tails.set(apiVersion, made))
    return made
  }

  return {
    definition,
    release,
    decodableVersions,
    servedVersions: release.served.map((each) => apiVersionOf(definition.group, each)),
    preferredVersion: apiVersionOf(definition.group, release.preferredStorage),
    canEncode: (apiVersion) => versions.has(apiVersion),
    encode: (hub, apiVersion, mayHoldUnknown = false) => encodeIn(versionOf(apiVersion), hub, mayHoldUnknown),
    isKnown: (stored, revision) => trust.covers(revision) && quickVersion(stored) !== undefined,
    decode,
    serve,
    trust,
    tail,
    applyDefaults: (object, apiVersion) => applyDefaultsIn(versionOf(apiVersion), object),
    toHub: (object, apiVersion) => versionOf(apiVersion).definition.toHub(object),
    toWire: (hub, apiVersion) => versionOf(apiVersion).definition.fromHub(hub),
    schemaOf: (apiVersion) => versionOf(apiVersion).definition.schema,
    validate: (object, apiVersion) => validateSchema(object, versionOf(apiVersion).definition.schema),
    // Only the order of keys may differ between two encodings of the same object, so they consist of the same bytes.
    isCurrent: (stored, wouldBe) =>
      stored.length === wouldBe.length &&
      (Buffer.compare(stored, wouldBe) === 0 ||
        (sumOf(stored) === sumOf(wouldBe) && equalJson(parseObject(stored), parseObject(wouldBe)))),
    storedVersion: (stored) => {
      const quick = quickVersion(stored)
      if (quick) return quick.apiVersion
      const { apiVersion } = parseObject(stored)
      return typeof apiVersion === 'string' ? apiVersion : 'none'
    },
  }
}

/** The same whatever the order of the bytes: tells most changes of equal length apart without parsing either side. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at++) sum += bytes[at] ?? 0
  return sum
}
