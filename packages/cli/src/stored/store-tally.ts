import {
  decodeProtobuf,
  type GroupResource,
  groupOfApiVersion,
  MalformedProtobuf,
  openEnvelope,
  protobufMessage,
} from '@strata/api'
import { type DefinitionFacts, definitionFacts } from './definition-facts.ts'
import { placeOf, pluralOf } from './key-place.ts'
import { type ReadValue, readValue } from './read-value.ts'

/** Objects of one resource that are stored alike. */
export interface StoredPart extends ReadValue {
  readonly count: number
  readonly bytes: number
  /** The first ones, as namespace and name. */
  readonly objects: readonly string[]
}

/** All stored objects of one resource. */
export interface StoredResource extends GroupResource {
  /** Below the root. */
  readonly prefix: string
  /** How the resource was recognized: by the key alone, or by the key and the apiVersion in its objects. */
  readonly identifiedBy: 'key' | 'key and stored apiVersion' | 'key, group unknown'
  readonly count: number
  readonly bytes: number
  readonly parts: readonly StoredPart[]
}

export interface StoredEntry {
  readonly key: string
  readonly value: Uint8Array
}

/** Opens an encrypted value; undefined where there are no keys. */
export type OpenSealed = (entry: StoredEntry, resource: GroupResource) => Promise<ReadValue> | ReadValue

interface Place {
  readonly resource: GroupResource | undefined
  count: number
  bytes: number
  readonly parts: Map<
    string,
    { -readonly [Field in keyof StoredPart]: StoredPart[Field] } & { objects: string[] }
  >
}

const definitions = 'apiextensions.k8s.io/customresourcedefinitions'
/** Enough to look at one; a list of all would not be flat. */
const objectsKept = 3
/** Strange places are counted, and not all of them are named. */
const othersKept = 20

export interface TallyOptions {
  /** The prefix of all keys, such as `/registry`. */
  readonly root: string
  /** The resources that the cluster serves: they name the group of what is encrypted. */
  readonly served?: readonly GroupResource[] | undefined
  readonly openSealed?: OpenSealed | undefined
}

export const rootPrefix = (root: string): string => `/${root.replaceAll(/^\/+|\/+$/g, '')}/`

/** Counts what is stored. It keeps counts, never values. */
export class StoreTally {
  readonly #root: string
  readonly #served: readonly GroupResource[]
  readonly #openSealed: OpenSealed | undefined
  readonly #places = new Map<string, Place>()
  readonly definitions: DefinitionFacts[] = []
  /** First parts of keys that are not below the root, to find a wrong root. */
  readonly otherRoots = new Set<string>()
  /** The uid of kube-system, by which a cluster is recognized. */
  clusterUid: string | undefined
  entries = 0

  constructor({ root, served = [], openSealed }: TallyOptions) {
    this.#root = rootPrefix(root)
    this.#served = served
    this.#openSealed = openSealed
  }

  async add(entry: StoredEntry): Promise<void> {
    const { key, value } = entry
    if (!key.startsWith(this.#root)) {
      if (this.otherRoots.size < othersKept) this.otherRoots.add(rootOf(key))
      return
    }
    const place = placeOf(key.slice(this.#root.length))
    if (!place) return
    this.entries++
    const read = readValue(value)
    const resource = place.resource ?? this.#servedAt(place.prefix) ?? { group: '', resource: place.prefix }
    const opened =
      read.form === 'encrypted' && this.#openSealed ? await this.#openSealed(entry, resource) : read
    this.#count(place.prefix, place.resource, place.object, opened, value.length)
    if (place.prefix === definitions && read.form === 'json') this.#keepDefinition(value)
    if (place.prefix === 'namespaces' && place.object === 'kube-system') this.clusterUid = uidIn(value, read)
  }

  resources(): readonly StoredResource[] {
    return [...this.#places]
      .map(([prefix, place]) => {
        const { count, bytes } = place
        const parts = [...place.parts.values()].toSorted((a, b) => b.count - a.count)
        return { ...this.#identify(prefix, place, parts), prefix, count, bytes, parts }
      })
      .toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1))
  }

  #count(
    prefix: string,
    resource: GroupResource | undefined,
    object: string,
    read: ReadValue,
    bytes: number,
  ): void {
    let place = this.#places.get(prefix)
    if (!place) {
      place = { resource, count: 0, bytes: 0, parts: new Map() }
      this.#places.set(prefix, place)
    }
    place.count++
    place.bytes += bytes
    const alike = `${read.form} ${read.apiVersion} ${read.kind} ${read.key} ${read.because}`
    let part = place.parts.get(alike)
    if (!part) {
      part = { ...read, count: 0, bytes: 0, objects: [] }
      place.parts.set(alike, part)
    }
    part.count++
    part.bytes += bytes
    if (part.objects.length < objectsKept) part.objects.push(object)
  }

  #keepDefinition(value: Uint8Array): void {
    const facts = definitionFacts(parseOrNot(value))
    if (facts) this.definitions.push(facts)
  }

  #identify(
    prefix: string,
    { resource }: Place,
    parts: readonly StoredPart[],
  ): GroupResource & Pick<StoredResource, 'identifiedBy'> {
    if (resource) return { ...resource, identifiedBy: 'key' }
    const readable = parts.find(({ apiVersion }) => apiVersion !== undefined)?.apiVersion
    if (readable !== undefined) {
      const group = groupOfApiVersion(readable)
      return { group, resource: pluralOf(prefix), identifiedBy: 'key and stored apiVersion' }
    }
    const known = this.#servedAt(prefix)
    if (known) return { ...known, identifiedBy: 'key' }
    return { group: '', resource: pluralOf(prefix), identifiedBy: 'key, group unknown' }
  }

  /** Undefined where several groups have a resource of that name. */
  #servedAt(prefix: string): GroupResource | undefined {
    const named = this.#served.filter(({ resource }) => resource === pluralOf(prefix))
    const [only] = named
    if (!only || named.some(({ group }) => group !== only.group)) return undefined
    return { group: only.group, resource: only.resource }
  }
}

/** `/registry` of `/registry/pods/a/b`. */
const rootOf = (key: string): string => /^\/?[^/]*/.exec(key)?.[0].slice(0, 60) ?? ''

/** Damaged JSON is counted like any other; what it says is unknown. */
function parseOrNot(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString())
  } catch {
    return undefined
  }
}

/** Namespaces are never encrypted by Strata, and seldom by others: then the cluster is not recognized. */
function uidIn(value: Uint8Array, { form, apiVersion = '', kind = '' }: ReadValue): string | undefined {
  const message = form === 'protobuf' ? protobufMessage(apiVersion, kind) : undefined
  const decoded = message ? decodedOrNot(value, message) : parseOrNot(value)
  const uid = (decoded as { metadata?: { uid?: unknown } } | undefined)?.metadata?.uid
  return typeof uid === 'string' ? uid : undefined
}

function decodedOrNot(value: Uint8Array, message: NonNullable<ReturnType<typeof protobufMessage>>): unknown {
  try {
    return decodeProtobuf(openEnvelope(value).raw, message, parseOrNot)
  } catch (error) {
    if (error instanceof MalformedProtobuf) return undefined
    throw error
  }
}
