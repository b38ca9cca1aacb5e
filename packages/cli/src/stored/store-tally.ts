import { type GroupResource, groupOfApiVersion } from '@strata/api'
import { ClusterSigns } from './cluster-signs.ts'
import { decodeOrNot } from './decode-value.ts'
import { type DefinitionFacts, definitionFacts } from './definition-facts.ts'
import { mostRoots, rootOf } from './find-roots.ts'
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

/** An encrypted value, as far as it could be opened. */
export interface OpenedValue {
  readonly read: ReadValue
  /** Undefined if it could not be opened. */
  readonly plain?: Uint8Array | undefined
}

/** Opens an encrypted value. */
export type OpenSealed = (entry: StoredEntry, resource: GroupResource) => Promise<OpenedValue> | OpenedValue

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
const objectsKeptByDefault = 3

export interface TallyOptions {
  /** The prefix of all keys, such as `/registry`. */
  readonly root: string
  /** The resources that the cluster serves: they name the group of what is encrypted. */
  readonly served?: readonly GroupResource[] | undefined
  readonly openSealed?: OpenSealed | undefined
  /** How many objects of each part are named. */
  readonly objectsKept?: number | undefined
}

export const rootPrefix = (root: string): string => `/${root.replaceAll(/^\/+|\/+$/g, '')}/`

/** Counts what is stored. It keeps counts, never values. */
export class StoreTally {
  readonly #root: string
  readonly #served: readonly GroupResource[]
  readonly #openSealed: OpenSealed | undefined
  readonly #objectsKept: number
  readonly #places = new Map<string, Place>()
  readonly definitions: DefinitionFacts[] = []
  /** First parts of keys that are not below the root, to find a wrong root. */
  readonly otherRoots = new Set<string>()
  readonly signs = new ClusterSigns()
  entries = 0

  constructor({ root, served = [], openSealed, objectsKept = objectsKeptByDefault }: TallyOptions) {
    this.#objectsKept = objectsKept
    this.#root = rootPrefix(root)
    this.#served = served
    this.#openSealed = openSealed
  }

  async add(entry: StoredEntry): Promise<void> {
    const { key, value } = entry
    if (!key.startsWith(this.#root)) {
      if (this.otherRoots.size < mostRoots) this.otherRoots.add(rootOf(key))
      return
    }
    const place = placeOf(key.slice(this.#root.length))
    if (!place) return
    this.entries++
    const read = readValue(value)
    const resource = place.resource ?? this.#servedAt(place.prefix) ?? { group: '', resource: place.prefix }
    const opened: OpenedValue =
      read.form === 'encrypted' && this.#openSealed
        ? await this.#openSealed(entry, resource)
        : { read, plain: value }
    this.#count(place.prefix, place.resource, place.object, opened.read, value.length)
    const { plain } = opened
    if (plain === undefined) return
    if (place.prefix === definitions) this.#keepDefinition(plain, opened.read)
    this.signs.see(place, () => decodeOrNot(plain, opened.read))
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
    if (part.objects.length < this.#objectsKept) part.objects.push(object)
  }

  #keepDefinition(value: Uint8Array, read: ReadValue): void {
    const facts = definitionFacts(decodeOrNot(value, read))
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

  /** Undefined where several groups have a resource of that name. A prefix without a group is not that of a CRD. */
  #servedAt(prefix: string): GroupResource | undefined {
    const isCustom = ({ group, resource }: GroupResource): boolean =>
      this.definitions.some((each) => each.group === group && each.resource === resource)
    const named = this.#served.filter((each) => each.resource === pluralOf(prefix) && !isCustom(each))
    const [only] = named
    if (!only || named.some(({ group }) => group !== only.group)) return undefined
    return { group: only.group, resource: only.resource }
  }
}
