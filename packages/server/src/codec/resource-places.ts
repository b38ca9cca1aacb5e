import type { GroupResource, ResourceDefinition } from '@strata/api'
import type { Key } from '../store/index.ts'
import { resourcePrefix, storageRoot } from './storage-key.ts'

/** A resource whose place in the store is known. */
export interface PlacedResource extends GroupResource {
  /** Of its keys; ends in `/`. */
  readonly prefix: Key
  /** Frozen, and written unfenced (agreement.md, rule 0): there is nothing to be recorded. */
  readonly bootstrap: boolean
}

export function placedResource(definition: ResourceDefinition): PlacedResource {
  const { group, resource } = definition
  return { group, resource, prefix: resourcePrefix(definition), bootstrap: definition.bootstrap === true }
}

/** Below the root and the name of a group of ours, but no resources. */
const ownPrefixes: readonly Key[] = ['ticks', 'names', 'writers'].map(
  (each) => `${storageRoot}strata.dev/${each}/`,
)

/** Which resource a key belongs to. Whoever asks needs no definition of custom resources: their keys name them. */
export class ResourcePlaces {
  readonly #byPrefix = new Map<Key, PlacedResource>()

  constructor(known: readonly PlacedResource[]) {
    for (const each of known) this.add(each)
  }

  /** The first to name a place has it. */
  add(resource: PlacedResource): void {
    if (!this.#byPrefix.has(resource.prefix)) this.#byPrefix.set(resource.prefix, resource)
  }

  /** `/registry/configmaps/…` or `/registry/<group>/<resource>/…`; undefined for what is no resource. */
  find(key: Key): PlacedResource | undefined {
    if (!key.startsWith(storageRoot)) return undefined
    const first = key.indexOf('/', storageRoot.length)
    if (first < 0) return undefined
    const short = this.#byPrefix.get(key.slice(0, first + 1))
    if (short) return short
    const second = key.indexOf('/', first + 1)
    if (second < 0) return undefined
    const prefix = key.slice(0, second + 1)
    const known = this.#byPrefix.get(prefix)
    if (known) return known
    const group = key.slice(storageRoot.length, first)
    // The group of a custom resource has a dot in it, as no other first part of a key has.
    if (!group.includes('.') || ownPrefixes.includes(prefix)) return undefined
    const found = { group, resource: key.slice(first + 1, second), prefix, bootstrap: false }
    this.#byPrefix.set(prefix, found)
    return found
  }
}
